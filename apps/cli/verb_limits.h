#pragma once
// Time and memory limits of the verbs that read or generate a history: lint, stats, convert, gen. (check
// handles its limits itself, because it reports UNKNOWN.)
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

// Runs `work` and returns its exit code. Beyond a limit, or at a signal, prints an error and returns
// kUndecided or the code of the signal; partially written files are removed.
int within_limits(const LimitFlags& flags, const std::function<int(Budget& budget)>& work);

}  // namespace serval::cli
