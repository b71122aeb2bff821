#pragma once
// What may end a check before it is done: Ctrl-C, SIGTERM and the end of its time.
//
// The first signal asks every budget to stop, so that what is known is still printed; the second ends the
// process at once. Deadline does the same for time: a loop that polls its budget stops by itself; a blocked
// read is woken; and a phase that does neither ends the process with the given last words, within a second of
// the deadline.

#include <chrono>
#include <string>

namespace serval::cli {

void catch_signals();
int caught_signal() noexcept;   // 0: none.
void forget_signal() noexcept;  // It was heard, and something else goes on; the next one counts again.

// Needs catch_signals() to have run.
class Deadline {
 public:
  // At the deadline plus 0.9 s, writes `last_words` to standard output and exits with `exit_code`.
  Deadline(std::chrono::nanoseconds timeout, std::string last_words, int exit_code);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { disarm(); }
  void disarm() noexcept;
};

}  // namespace serval::cli
