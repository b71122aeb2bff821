#include "serval/database/invariant_watch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace serval {
namespace {

constexpr std::chrono::milliseconds kShortestRest{100};
constexpr int kRestsPerLook = 4;
constexpr std::uint32_t kAttemptsAtTheEnd = 20;
constexpr std::chrono::milliseconds kPause{200};

struct Stopped {};

}  // namespace

InvariantWatch::InvariantWatch(Database& database, const Generator& generator)
    : database_(database), generator_(generator), thread_([this] { run(); }) {}

void InvariantWatch::stop() noexcept {
  stopping_ = true;
  {
    const std::lock_guard lock(mutex_);  // So that no rest begins in between.
  }
  woken_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool InvariantWatch::rest(Clock::duration span) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, span, [this] { return stopping_.load(); });
  return !stopping_;
}

void InvariantWatch::pause(Clock::duration span) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, span, [] { return false; });
}

// A failed check is ignored; the next one may succeed, on another node.
void InvariantWatch::run() noexcept {
  std::unique_ptr<Client> client;
  std::uint32_t attempt = 0;
  Clock::duration pause = kShortestRest;
  while (rest(pause)) {
    const Clock::time_point start = Clock::now();
    try {
      if (!client) client = database_.connect_observer(attempt++);
      if (!client) return;
      look(*client, [this] { return !stopping_; });
    } catch (const Stopped&) {
      return;
    } catch (const std::exception&) {
      client.reset();
    }
    pause = std::max<Clock::duration>(kShortestRest, kRestsPerLook * (Clock::now() - start));
  }
}

// Its reads count once it has committed. False if it has not.
bool InvariantWatch::look(Client& client, const Keep& goes_on) {
  client.begin();
  FinalState state([&](const Request& request) {
    if (!goes_on()) throw Stopped();
    return client.perform(request);
  });
  std::vector<std::string> broken = generator_.broken_invariants(state);
  if (client.commit() != Outcome::Committed) return false;
  learn(std::move(broken));
  return true;
}

void InvariantWatch::learn(std::vector<std::string> broken) {
  const std::lock_guard lock(mutex_);
  ++findings_.looks;
  for (std::string& sentence : broken) {
    if (!known_.insert(sentence).second) continue;
    ++findings_.broken_in_all;
    if (findings_.broken.size() < kMostKept) findings_.broken.push_back(std::move(sentence));
  }
}

// The sessions have ended, so without an observer any isolation will do.
void InvariantWatch::look_at_the_end() {
  stop();
  std::string problem;
  for (std::uint32_t attempt = 0; attempt < kAttemptsAtTheEnd; ++attempt) try {
      if (attempt > 0) pause(kPause);
      std::unique_ptr<Client> client = database_.connect_observer(attempt);
      if (!client) client = database_.reconnect(0, attempt);
      if (look(*client, [] { return true; })) return;
      problem = "the transaction of the check did not commit";
    } catch (const TransactionFailure& failure) {
      problem = failure.what();
    } catch (const DatabaseError& error) {
      problem = error.what();
    }
  const std::lock_guard lock(mutex_);
  findings_.problem = problem;
}

InvariantFindings InvariantWatch::findings() const {
  const std::lock_guard lock(mutex_);
  return findings_;
}

}  // namespace serval
