#pragma once
// Interrupts a check: Ctrl-C, SIGTERM, SIGHUP and deadlines.
//
// The first signal stops every budget of interruptible(), so that what is known is still printed. The
// second ends the process at once. Deadline does the same for time: a loop that polls its budget stops by
// itself, a blocked read is woken, and a phase that does neither is ended with the process within a
// second of the deadline, after printing the given last words.

#include <chrono>
#include <string>

#include <unistd.h>

#include "serval/base/budget.h"

namespace serval::cli {

void catch_signals();
int caught_signal() noexcept;  // 0: none.
const char* name_of_signal(int signal) noexcept;
void forget_signal() noexcept;  // The signal was handled; the next one counts as the first.

// A budget that only signals and deadlines limit.
Budget interruptible() noexcept;

// Call catch_signals() first.
class Deadline {
 public:
  // 0.9 s after the deadline, writes `last_words` to `descriptor` and exits with `exit_code`. Partially
  // written files are removed.
  Deadline(std::chrono::nanoseconds timeout, std::string last_words, int exit_code,
           int descriptor = STDOUT_FILENO);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { disarm(); }
  void disarm() noexcept;
};

}  // namespace serval::cli
