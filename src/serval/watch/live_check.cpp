#include "serval/watch/live_check.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "serval/check/check.h"
#include "serval/formats/format.h"
#include "serval/report/quantity.h"

namespace serval::watch {
namespace {

struct Tempo {
  std::chrono::milliseconds shortest_rest;
  int rests_per_look;
  double growth;  // Growth of the file between two checks of the whole.
};
constexpr Tempo kModest{std::chrono::milliseconds(1000), 4, 2.0},
    kEager{std::chrono::milliseconds(100), 1, 1.5};
// Upper bound for a history and its graphs, per byte of the file.
constexpr std::uint64_t kMemoryPerByte = 4;

constexpr std::string_view kTooLarge = "too large to check while it runs";

const Tempo& tempo_of(LiveCheck::Pace pace) { return pace == LiveCheck::Pace::Modest ? kModest : kEager; }

// For this thread only, on Linux: a third of the share of a session if they compete. With less, it would
// learn nothing before the end on a busy machine.
void lower_priority() { setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 5); }

std::string spelled_anomalies(const LiveState& state) {
  if (!state.violated()) return state.decided ? "no anomaly" : "no anomaly, undecided";
  std::string out;
  for (const auto& [kind, count] : state.anomalies)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name_of(kind));
  return out;
}

}  // namespace

std::string spelled(const LiveState& state, LiveState::Clock::time_point now) {
  if (state.checks == 0) return state.ended.empty() ? "nothing checked yet" : state.ended;
  const double behind = std::chrono::duration<double>(now - state.read_at).count();
  std::string out = fmt::format("checked {} ({:.1f} s behind), {}", format_count(state.transactions, "txn"),
                                std::max(behind, 0.0), spelled_anomalies(state));
  return state.ended.empty() ? out : out + "; " + state.ended;
}

LiveCheck::LiveCheck(std::string path, Level level, std::uint64_t memory_limit, Pace pace)
    : path_(std::move(path)),
      level_(level),
      most_memory_(memory_limit / 4),
      pace_(pace),
      tail_(std::in_place, path_),
      thread_([this] { run(); }) {}

void LiveCheck::stop() noexcept {
  stopping_ = true;
  {
    const std::lock_guard lock(mutex_);  // So that no rest begins in between.
  }
  woken_.notify_all();
  if (thread_.joinable()) thread_.join();
  ::malloc_trim(0);  // Later threads could not reuse the memory of this one.
}

LiveState LiveCheck::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool LiveCheck::rest(Clock::duration span) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, span, [this] { return stopping_.load(); });
  return !stopping_ && state_.ended.empty();
}

void LiveCheck::end(std::string reason) {
  const std::lock_guard lock(mutex_);
  state_.ended = std::move(reason);
}

// An error here does not stop the recording, and the whole recording is checked at the end anyway.
void LiveCheck::run() noexcept {
  if (pace_ == Pace::Modest) lower_priority();
  const Tempo& tempo = tempo_of(pace_);
  Clock::duration pause = tempo.shortest_rest;
  while (rest(pause)) {
    const Clock::time_point start = Clock::now();
    try {
      look();
    } catch (const BudgetExhausted&) {
      break;
    } catch (const std::bad_alloc&) {
      end(std::string(kTooLarge));
    } catch (const std::exception& error) {
      end(fmt::format("not checked while it runs: {}", error.what()));
    }
    pause = std::max<Clock::duration>(tempo.shortest_rest, tempo.rests_per_look * (Clock::now() - start));
  }
  screen_.reset();
  tail_.reset();
}

void LiveCheck::look() {
  const std::uint64_t size = std::filesystem::file_size(path_);
  Budget budget = Budget::until_set(stopping_);
  const Clock::time_point read_at = Clock::now();
  const bool clear = tail_ && screen(size, budget);
  const std::uint64_t of_screen = screen_ ? screen_->bytes() : 0;
  if (of_screen > most_memory_) return end(std::string(kTooLarge));
  if (clear) return learn(Holds{}, screen_->examined(), read_at);
  if (size < next_check_) return;
  if (of_screen + kMemoryPerByte * size > most_memory_) return end(std::string(kTooLarge));
  const History history = read_history(path_, {.format = Format::Jsonl, .budget = &budget});
  const CheckResult result = check(history, level_, {.max_anomalies = 1, .budget = &budget});
  learn(result.verdict, history.transaction_count(), read_at);
  next_check_ = static_cast<std::uint64_t>(static_cast<double>(size) * tempo_of(pace_).growth);
}

bool LiveCheck::screen(std::uint64_t size, Budget& budget) {
  RecordingTail::Batch batch;
  while (tail_->offset() < size && tail_->read(batch, budget)) {
    if (!screen_) screen_.emplace(level_, tail_->initial());
    for (ScreenedTransaction& transaction : batch.transactions) {
      budget.poll("screen");
      screen_->add(std::move(transaction));
    }
    screen_->settle(batch.open);
  }
  if (!screen_) return false;
  if (!tail_->obstacle().empty()) screen_->lose(tail_->obstacle());
  const HistoryScreen::State state = screen_->state();
  if (state == HistoryScreen::State::Suspicious || state == HistoryScreen::State::Lost) {
    next_check_ = 0;
    screen_.reset();
    tail_.reset();
  }
  return state == HistoryScreen::State::Clear;
}

void LiveCheck::learn(const Verdict& verdict, std::uint64_t transactions, Clock::time_point read_at) {
  if (const auto* why = std::get_if<Undecided>(&verdict);
      why != nullptr && why->cause == Undecided::Cause::Stopped)
    return;
  const std::lock_guard lock(mutex_);
  state_.transactions = transactions;
  state_.read_at = read_at;
  state_.decided = !serval::undecided(verdict);
  ++state_.checks;
  if (const auto* found = std::get_if<Violated>(&verdict)) state_.anomalies = found->counts;
}

}  // namespace serval::watch
