#pragma once
// A limit on time or effort that long loops poll. Running out is a result (the verdict becomes
// Undecided), so BudgetExhausted unwinds to the command or checker that owns the budget and no further.
//
//   Budget budget = Budget::until(now + 10 s);
//   for (...) budget.poll("reads-from");   // one predictable branch; reads the clock every 4096th call
//
// Effort is the number of polls; a look counts as 4096. An effort limit stops the same work at the same
// point on every machine. Serval sets effort limits for steps that are only worthwhile while cheap; the
// user sets time limits.
//
// Memory is limited by the operating system (see apps/cli/memory_limit.h); an allocation beyond the
// limit throws std::bad_alloc. Not shared between threads: give each thread its own copy. The flag of
// until_set() may be set from any thread and from a signal handler.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace serval {

class BudgetExhausted : public std::runtime_error {
 public:
  enum class Cause { TimeBudget, EffortBudget, Stopped };
  BudgetExhausted(Cause cause, const char* phase)
      : std::runtime_error(std::string(words(cause)) + " in phase \"" + phase + "\""),
        cause_(cause),
        phase_(phase) {}
  Cause cause() const noexcept { return cause_; }
  const char* phase() const noexcept { return phase_; }

 private:
  static const char* words(Cause cause) noexcept {
    return cause == Cause::TimeBudget     ? "time budget used up"
           : cause == Cause::EffortBudget ? "effort limit reached"
                                          : "stopped";
  }
  Cause cause_;
  const char* phase_;
};

class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  static Budget unlimited() noexcept { return Budget(Clock::time_point::max()); }
  static Budget until(Clock::time_point deadline) noexcept { return Budget(deadline); }
  // Runs until `stop` is set, from any thread. `stop` must outlive the budget.
  static Budget until_set(const std::atomic<bool>& stop) noexcept {
    Budget budget = unlimited();
    budget.stop_ = &stop;
    return budget;
  }

  // The same budget, but no later than `deadline`.
  Budget within(Clock::time_point deadline) const noexcept {
    Budget budget = *this;
    if (deadline < budget.deadline_) budget.deadline_ = deadline;
    return budget;
  }

  // The same budget with at most `limit` further effort; the copy counts its own effort.
  Budget with_effort(std::uint64_t limit) const noexcept {
    Budget budget = *this;
    budget.effort_ = 0;
    budget.max_effort_ = limit;
    return budget;
  }
  std::uint64_t effort() const noexcept { return effort_; }  // Spent so far.

  // Throws BudgetExhausted once a limit is reached or a stop was requested. `phase` is a string literal.
  void poll(const char* phase) {
    if (++effort_ % kPollsPerLook == 0) check_limits(phase);
  }
  // The same, but checks the clock on every call: for loops with long steps.
  void look(const char* phase) {
    effort_ += kPollsPerLook;
    check_limits(phase);
  }

 private:
  explicit Budget(Clock::time_point deadline) noexcept : deadline_(deadline) {}

  void check_limits(const char* phase) const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed))
      throw BudgetExhausted(BudgetExhausted::Cause::Stopped, phase);
    if (effort_ >= max_effort_) throw BudgetExhausted(BudgetExhausted::Cause::EffortBudget, phase);
    if (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_)
      throw BudgetExhausted(BudgetExhausted::Cause::TimeBudget, phase);
  }

  static constexpr std::uint64_t kPollsPerLook = 4096;
  Clock::time_point deadline_;
  const std::atomic<bool>* stop_ = nullptr;
  std::uint64_t effort_ = 0;
  std::uint64_t max_effort_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace serval
