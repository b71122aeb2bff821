#include "verb_limits.h"

#include <new>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "exit_code.h"
#include "interruption.h"
#include "memory_limit.h"
#include "output.h"
#include "quantities.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

class Limits {
 public:
  explicit Limits(const LimitFlags& flags) : flags_(flags), bytes_(memory_limit_of(flags.memory_limit)) {
    if (!flags.timeout.empty()) timeout_ = parse_duration("--timeout", flags.timeout);
  }

  int run(const std::function<int(Budget&)>& work) {
    catch_signals();
    Budget budget = interruptible();
    std::optional<Deadline> deadline;
    if (timeout_) {
      budget = budget.within(Budget::Clock::now() + *timeout_);
      deadline.emplace(*timeout_, out_of_time("") + "\n", kUndecided, STDERR_FILENO);
    }
    MemoryLimit memory(bytes_);
    try {
      return work(budget);
    } catch (const BudgetExhausted& exhausted) {
      memory.lift();
      return say(exhausted);
    } catch (const std::bad_alloc&) {
      memory.lift();
      note(fmt::format("error: memory budget of {} used up\nhint: raise --memory-limit",
                       format_bytes(bytes_)));
      return kUndecided;
    }
  }

 private:
  std::string out_of_time(const std::string& phase) const {
    return fmt::format("error: time budget of {} used up{}\nhint: raise --timeout", flags_.timeout, phase);
  }

  int say(const BudgetExhausted& exhausted) const {
    const std::string phase = fmt::format(" in phase \"{}\"", exhausted.phase());
    if (caught_signal() == 0) {
      note(out_of_time(phase));
      return kUndecided;
    }
    note("error: stopped by a signal" + phase);
    return 128 + caught_signal();
  }

  const LimitFlags& flags_;
  std::uint64_t bytes_;
  std::optional<std::chrono::nanoseconds> timeout_;
};

}  // namespace

void declare_limit_flags(Arguments& arguments, LimitFlags& flags) {
  arguments.option("--timeout", flags.timeout, "Time limit for everything; beyond it exit 2 [none]", "TIME");
  arguments.option("--memory-limit", flags.memory_limit,
                   "Memory limit; beyond it exit 2 [80 % of RAM or cgroup]", "SIZE");
}

std::uint64_t memory_limit_of(const std::string& flag) {
  return flag.empty() ? default_memory_limit() : parse_size("--memory-limit", flag);
}

int within_limits(const LimitFlags& flags, const std::function<int(Budget& budget)>& work) {
  return Limits(flags).run(work);
}

}  // namespace serval::cli
