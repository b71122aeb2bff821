#pragma once
// A limit on time that long loops obey by asking. Running out is a result (the verdict becomes Undecided), so
// BudgetExhausted unwinds to the command or checker that owns the budget and nowhere further.
//
//   Budget budget = Budget::until(now + 10 s);
//   for (...) budget.poll("reads-from");   // one predictable branch; looks at the clock every 4096th call
//
// Memory is limited by the operating system (see apps/cli/memory_limit.h); an allocation past it throws
// std::bad_alloc. Not shared between threads: give each its own copy; request_stop() may be called from
// anywhere.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace serval {

class BudgetExhausted : public std::runtime_error {
 public:
  enum class Cause { TimeBudget, Stopped };
  BudgetExhausted(Cause cause, const char* phase)
      : std::runtime_error(std::string(cause == Cause::TimeBudget ? "time budget used up" : "stopped") +
                           " in phase \"" + phase + "\""),
        cause_(cause),
        phase_(phase) {}
  Cause cause() const noexcept { return cause_; }
  const char* phase() const noexcept { return phase_; }

 private:
  Cause cause_;
  const char* phase_;
};

class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  static Budget unlimited() noexcept { return Budget(Clock::time_point::max()); }
  static Budget until(Clock::time_point deadline) noexcept { return Budget(deadline); }
  // Until `stop` is set, from any thread. It outlives the budget.
  static Budget until_set(const std::atomic<bool>& stop) noexcept {
    Budget budget = unlimited();
    budget.own_stop_ = &stop;
    return budget;
  }

  // The same, but no longer than until `deadline`.
  Budget within(Clock::time_point deadline) const noexcept {
    Budget budget = *this;
    if (deadline < budget.deadline_) budget.deadline_ = deadline;
    return budget;
  }

  // Throws BudgetExhausted once the deadline has passed or a stop was requested. `phase` is a literal.
  void poll(const char* phase) {
    if (++calls_ % kCallsPerLook == 0) look(phase);
  }
  // The same, looking at the clock every time: for loops whose steps are long.
  void look(const char* phase) const {
    const bool stopped = own_stop_ != nullptr && own_stop_->load(std::memory_order_relaxed);
    if (stopped || stop_requested().load(std::memory_order_relaxed))
      throw BudgetExhausted(BudgetExhausted::Cause::Stopped, phase);
    if (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_)
      throw BudgetExhausted(BudgetExhausted::Cause::TimeBudget, phase);
  }

  // Asks every budget of the process to stop; safe in a signal handler.
  static void request_stop() noexcept { stop_requested().store(true, std::memory_order_relaxed); }
  static std::atomic<bool>& stop_requested() noexcept {
    static std::atomic<bool> stop{false};
    return stop;
  }

 private:
  explicit Budget(Clock::time_point deadline) noexcept : deadline_(deadline) {}
  static constexpr std::uint32_t kCallsPerLook = 4096;
  Clock::time_point deadline_;
  const std::atomic<bool>* own_stop_ = nullptr;
  std::uint32_t calls_ = 0;
};

}  // namespace serval
