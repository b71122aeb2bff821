#pragma once
// Time and memory of a verb that reads or makes a history, in one place: lint, stats, convert, gen. (check
// has verdicts to print in their stead.)
//
//   return within_limits(flags.limits, [&](Budget& budget) { ... load_history(path, reading, budget) ... });

#include <functional>
#include <string>

#include "arguments.h"
#include "serval/base/budget.h"

namespace serval::cli {

struct LimitFlags {
  std::string timeout;       // Empty: none.
  std::string memory_limit;  // Empty: by the machine.
};
void declare_limit_flags(Arguments& arguments, LimitFlags& flags);
std::uint64_t memory_limit_of(const std::string& flag);  // In bytes. Throws UsageError.

// Runs `work` and returns its exit code. Past a limit, or at a signal, it says so on standard error and
// returns kUndecided or the code of the signal; what `work` had begun to write is taken away.
int within_limits(const LimitFlags& flags, const std::function<int(Budget& budget)>& work);

}  // namespace serval::cli
