#include "serval/database/campaign.h"

#include <algorithm>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "serval/base/clock.h"
#include "serval/base/error.h"
#include "serval/base/random.h"

namespace serval {
namespace {

constexpr std::chrono::seconds kTimeForLists{15};  // There may be many lists.
constexpr std::chrono::seconds kTimeToReturn{10};  // For the database to come back after the run.

}  // namespace

std::uint64_t CampaignCounts::aborted_in_all() const {
  std::uint64_t sum = 0;
  for (const auto& [cause, count] : aborted) sum += count;
  return sum;
}

// The sessions of one thread, one after another.
class Campaign::Player {
 public:
  Player(Campaign& campaign, std::uint32_t number)
      : campaign_(campaign),
        number_(number),
        random_(Random(campaign.options_.seed + number).next()),
        next_slot_(std::chrono::steady_clock::now()) {}

  void connect() { take(campaign_.database_.connect(number_)); }

  void run() {
    while (!campaign_.is_over() && campaign_.claim_transaction()) {
      wait_for_slot();
      play_one();
      if (client_ == nullptr && !reconnect([this] { return campaign_.is_over(); })) return;
    }
  }

  bool is_connected() const { return client_ != nullptr; }
  const std::string& problem() const { return problem_; }  // Of the last attempt to connect.

  // The last transactions may have lost their connections while the database is coming back.
  bool waits_for_database() {
    const auto deadline = std::chrono::steady_clock::now() + kTimeToReturn;
    return reconnect([&] { return std::chrono::steady_clock::now() >= deadline; });
  }

  // From another thread.
  void interrupt() noexcept {
    const std::lock_guard lock(connecting_);
    if (client_) client_->interrupt();
  }

  void disconnect() {
    const std::lock_guard lock(connecting_);
    client_.reset();
  }

  CampaignCounts counts() const {
    const std::lock_guard lock(counting_);
    return counts_;
  }

  using ListKey = std::pair<std::uint32_t, std::uint64_t>;  // Table and key.
  const std::set<ListKey>& appended_to() const { return appended_to_; }

  // Reads lists in transactions of moderate length. False if the database is gone.
  bool read_lists(const std::set<ListKey>& lists, std::chrono::steady_clock::time_point deadline) {
    constexpr std::size_t kAtOnce = 50;
    const auto is_late = [&] { return std::chrono::steady_clock::now() >= deadline; };
    for (auto next = lists.begin(); next != lists.end() && !is_late();) {
      if (client_ == nullptr && !reconnect(is_late)) return false;
      log_->begin(now());
      try {
        client_->begin();
        for (std::size_t i = 0; i < kAtOnce && next != lists.end(); ++i, ++next)
          ask({.kind = Request::Kind::ReadList, .table = next->first, .key = next->second});
        end(client_->commit(), now(), {});
      } catch (const TransactionFailure& failure) {
        fail(failure);
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kMostAttempts = 50;  // A server may take seconds to come back.
  static constexpr std::chrono::milliseconds kPause{200};

  // Keeps the rate: each session has its own slots; missed slots are not made up for.
  void wait_for_slot() {
    if (campaign_.options_.rate <= 0) return;
    const std::chrono::duration<double> span(campaign_.options_.sessions / campaign_.options_.rate);
    next_slot_ = std::max(next_slot_ + std::chrono::duration_cast<std::chrono::nanoseconds>(span),
                          std::chrono::steady_clock::now() - std::chrono::milliseconds(10));
    campaign_.wait_until(std::min(next_slot_, campaign_.deadline_));
  }

  void take(std::unique_ptr<Client> client) {
    const std::lock_guard lock(connecting_);
    client_ = std::move(client);
    log_ = &campaign_.recorder_.open_session();
  }

  // A session stays on the node that accepted it.
  template <class Over>
  bool reconnect(const Over& is_over) {
    for (std::uint32_t attempt = 0; attempt < kMostAttempts && !is_over(); ++attempt) {
      try {
        const bool again = log_ != nullptr;
        take(campaign_.database_.reconnect(number_, place_));
        if (again) count([](CampaignCounts& counts) { ++counts.reconnections; });
        return true;
      } catch (const DatabaseError& error) {
        problem_ = error.what();
        ++place_;
        campaign_.pause(kPause);
      }
    }
    return false;
  }

  void play_one() {
    std::unique_ptr<Script> script;
    {
      const std::lock_guard lock(campaign_.generating_);
      script = campaign_.generator_.next_script(random_, number_, known_);
    }
    const bool aborts = random_.chance(campaign_.options_.abort_share);
    const Time begin = now();
    log_->begin(begin);
    try {
      client_->begin();
      perform(*script);
      if (aborts || script->aborts()) return roll_back();
      const Outcome outcome = client_->commit();
      end(outcome, now(), {});
      if (outcome == Outcome::Committed) {
        const auto taken = static_cast<std::uint64_t>(now() - begin);
        count([&](CampaignCounts& counts) { counts.latency.add(taken); });
      }
    } catch (const TransactionFailure& failure) {
      fail(failure);
    }
  }

  void perform(Script& script) {
    while (std::optional<Request> request = script.next()) {
      if (!only_reads(request->kind)) request->tag = next_tag();
      if (request->kind == Request::Kind::Append) appended_to_.emplace(request->table, request->key);
      script.complete(*request, ask(*request));
    }
  }

  Answer ask(const Request& request) {
    log_->invoke(request, now());
    Answer answer;
    try {
      answer = client_->perform(request);
    } catch (const TransactionFailure&) {
      log_->lose(request);
      throw;
    }
    log_->complete(request, answer, now());
    ++performed_;
    return answer;
  }

  // Unique in the run, and small so that files stay small.
  std::int64_t next_tag() {
    return static_cast<std::int64_t>(written_++ * campaign_.options_.sessions + number_) + 1;
  }

  void roll_back() {
    client_->roll_back();
    log_->end(Outcome::Aborted, now(), client_->hints());
    count([](CampaignCounts& counts) { ++counts.rolled_back; });
  }

  void end(Outcome outcome, Time at, std::string error) {
    TransactionHints hints = client_->hints();
    hints.error = std::move(error);
    log_->end(outcome, at, hints, client_->seen());
    count([&](CampaignCounts& counts) {
      if (outcome == Outcome::Committed) ++counts.committed;
      if (outcome == Outcome::Indeterminate) ++counts.indeterminate;
      if (outcome == Outcome::Aborted) ++counts.aborted[cause_];
    });
    cause_ = FailureCause::Other;
  }

  void fail(const TransactionFailure& failure) {
    const Time at = now();
    cause_ = failure.cause();
    end(failure.outcome(), at, failure.what());
    if (failure.cause() == FailureCause::ConnectionLost) disconnect();
  }

  template <class Change>
  void count(Change&& change) {
    const std::lock_guard lock(counting_);
    change(counts_);
    counts_.operations += std::exchange(performed_, 0);
  }

  Campaign& campaign_;
  std::uint32_t number_;
  Random random_;
  KnownTags known_;
  std::uint32_t place_ = 0;  // Its node, relative to the one of its number.
  std::string problem_;
  std::mutex connecting_;  // Guards changes of client_, and its use by other threads.
  std::unique_ptr<Client> client_;
  SessionLog* log_ = nullptr;
  std::uint64_t written_ = 0;
  std::uint64_t performed_ = 0;
  std::set<ListKey> appended_to_;
  FailureCause cause_ = FailureCause::Other;
  std::chrono::steady_clock::time_point next_slot_;

  mutable std::mutex counting_;
  CampaignCounts counts_;
};

Campaign::Campaign(Database& database, Generator& generator, Recorder& recorder,
                   const CampaignOptions& options)
    : database_(database), generator_(generator), recorder_(recorder), options_(options) {
  for (std::uint32_t i = 0; i <= options.sessions; ++i)
    players_.push_back(std::make_unique<Player>(*this, i));
}
Campaign::~Campaign() = default;

bool Campaign::is_over() const {
  return stopping_ || std::chrono::steady_clock::now() >= deadline_ || recorder_.failed();
}

void Campaign::stop() {
  stopping_ = true;
  woken_.notify_all();
}

void Campaign::wait_until(std::chrono::steady_clock::time_point time) {
  std::unique_lock lock(waiting_);
  woken_.wait_until(lock, time, [this] { return stopping_.load(); });
}

void Campaign::pause(std::chrono::nanoseconds span) {
  std::unique_lock lock(waiting_);
  woken_.wait_for(lock, span, [] { return false; });
}

bool Campaign::claim_transaction() {
  return options_.transactions == 0 || begun_.fetch_add(1) < options_.transactions;
}

void Campaign::note_loss(const std::string& problem) {
  const std::lock_guard lock(problem_mutex_);
  if (!loss_) loss_.emplace(problem);
}

void Campaign::note_bug() {
  const std::lock_guard lock(problem_mutex_);
  if (!bug_) bug_ = std::current_exception();
}

std::optional<DatabaseError> Campaign::loss() const {
  const std::lock_guard lock(problem_mutex_);
  return loss_;
}

void Campaign::play(Player& player) noexcept {
  try {
    player.run();
  } catch (const DatabaseError& error) {
    note_loss(error.what());
    stop();
    player.disconnect();  // Its open transaction may block those of the others.
  } catch (...) {
    note_bug();
    stop();
  }
  const std::lock_guard lock(waiting_);
  --playing_;
  woken_.notify_all();
}

// A session that waits for a lock that is never released must not prevent the end of the run.
void Campaign::wait_for_sessions() {
  constexpr std::chrono::milliseconds kGlance{20};
  std::unique_lock lock(waiting_);
  while (playing_ > 0 && !is_over()) woken_.wait_for(lock, kGlance);
  if (woken_.wait_for(lock, options_.grace, [this] { return playing_ == 0; })) return;
  for (const auto& player : players_) player->interrupt();
}

void Campaign::run() {
  const std::span<const std::unique_ptr<Player>> sessions = std::span(players_).first(options_.sessions);
  for (const auto& player : sessions) player->connect();
  deadline_ = options_.time ? std::chrono::steady_clock::now() + *options_.time
                            : std::chrono::steady_clock::time_point::max();
  playing_ = sessions.size();
  std::vector<std::thread> threads;
  for (const auto& player : sessions) threads.emplace_back([this, &player] { play(*player); });
  wait_for_sessions();
  for (std::thread& thread : threads) thread.join();
  if (bug_) std::rethrow_exception(bug_);
  const auto is_there = [](const auto& player) { return player->is_connected(); };
  if (std::ranges::none_of(sessions, is_there) && !(is_over() && sessions.front()->waits_for_database()))
    note_loss("the connections were lost and cannot be re-established: " + sessions.front()->problem());
  if (!loss()) read_lists_once_more();
}

// Without this the last appends would never be read, and their order would be unknown.
void Campaign::read_lists_once_more() {
  std::set<Player::ListKey> lists;
  for (const auto& player : players_)
    lists.insert(player->appended_to().begin(), player->appended_to().end());
  if (lists.empty() || recorder_.failed()) return;
  Player& reader = *players_.back();
  const auto deadline = std::chrono::steady_clock::now() + kTimeForLists;
  std::atomic<bool> done = false;
  std::thread thread([&] {
    try {
      if (!reader.read_lists(lists, deadline))
        note_loss("the lists cannot be read at the end: " + reader.problem());
    } catch (...) {
      note_bug();
    }
    const std::lock_guard lock(waiting_);
    done = true;
    woken_.notify_all();
  });
  {
    std::unique_lock lock(waiting_);
    woken_.wait_until(lock, deadline, [&] { return done.load(); });
  }
  if (!done) reader.interrupt();
  thread.join();
  if (bug_) std::rethrow_exception(bug_);
}

CampaignCounts Campaign::counts() const {
  CampaignCounts sum;
  for (const auto& player : players_) {
    const CampaignCounts one = player->counts();
    sum.committed += one.committed;
    sum.rolled_back += one.rolled_back;
    sum.indeterminate += one.indeterminate;
    sum.operations += one.operations;
    sum.reconnections += one.reconnections;
    for (const auto& [cause, number] : one.aborted) sum.aborted[cause] += number;
    sum.latency.add(one.latency);
  }
  return sum;
}

}  // namespace serval
