#pragma once
// What may end a check before it is done: Ctrl-C, SIGTERM, SIGHUP and the end of its time.
//
// The first signal asks every budget of interruptible() to stop, so that what is known is still printed; the
// second ends the process at once. Deadline does the same for time: a loop that polls its budget stops by
// itself; a blocked read is woken; and a phase that does neither ends the process with the given last words,
// within a second of the deadline.

#include <chrono>
#include <string>

#include <unistd.h>

#include "serval/base/budget.h"

namespace serval::cli {

void catch_signals();
int caught_signal() noexcept;  // 0: none.
const char* name_of_signal(int signal) noexcept;
void forget_signal() noexcept;  // It was heard, and something else goes on; the next one counts again.

// Without an end, but for signals and deadlines.
Budget interruptible() noexcept;

// Needs catch_signals() to have run.
class Deadline {
 public:
  // At the deadline plus 0.9 s, writes `last_words` to `descriptor` and exits with `exit_code`. Files that
  // are half written are removed.
  Deadline(std::chrono::nanoseconds timeout, std::string last_words, int exit_code,
           int descriptor = STDOUT_FILENO);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { disarm(); }
  void disarm() noexcept;
};

}  // namespace serval::cli
