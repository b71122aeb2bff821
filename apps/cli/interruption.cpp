#include "interruption.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

#include <sys/time.h>
#include <unistd.h>

#include "serval/base/budget.h"
#include "serval/base/partial_output.h"

namespace serval::cli {
namespace {

// Signal handlers touch only lock-free atomics and these buffers.
std::atomic<int> signal_caught{0};
std::atomic<int> alarms{0};
std::atomic<bool> stopping{false};  // Stops all budgets of interruptible().
std::string* last_words = nullptr;
int last_exit_code = 2;
int last_descriptor = STDOUT_FILENO;

void ring(std::chrono::nanoseconds first, std::chrono::nanoseconds then) {
  const auto to_timeval = [](std::chrono::nanoseconds span) {
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(span).count();
    return timeval{microseconds / 1'000'000, microseconds % 1'000'000};
  };
  const itimerval timer{to_timeval(then), to_timeval(first)};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// The alarm repeats, because the signal may have arrived just before a blocking read.
extern "C" void on_signal(int signal) {
  if (signal_caught.exchange(signal) != 0) {
    remove_partial_output();
    _exit(128 + signal);
  }
  stopping = true;
  ring(std::chrono::milliseconds(50), std::chrono::milliseconds(50));
}

extern "C" void on_alarm(int /*signal*/) {
  if (signal_caught != 0) return;
  if (alarms.fetch_add(1) == 0) {
    stopping = true;
    return;
  }
  remove_partial_output();
  const ssize_t written = ::write(last_descriptor, last_words->data(), last_words->size());
  _exit(written < 0 ? 3 : last_exit_code);
}

// The reader of our output is gone. Ends as a shell expects, but removes partial files first.
extern "C" void on_pipe(int signal) {
  remove_partial_output();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Without SA_RESTART, so that a blocked read returns and checks its budget.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

// Ignored, for example under nohup: stays so.
bool is_ignored(int signal) {
  struct sigaction present {};
  return sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
}

}  // namespace

void catch_signals() {
  handle(SIGALRM, on_alarm);
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, on_signal);
  if (!is_ignored(SIGPIPE)) handle(SIGPIPE, on_pipe);
}

const char* name_of_signal(int signal) noexcept {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "SIGTERM";
  }
}

int caught_signal() noexcept { return signal_caught.load(); }

void forget_signal() noexcept {
  ring(std::chrono::nanoseconds(0), std::chrono::nanoseconds(0));
  signal_caught = 0;
  stopping = false;
}

Budget interruptible() noexcept { return Budget::until_set(stopping); }

Deadline::Deadline(std::chrono::nanoseconds timeout, std::string words, int exit_code, int descriptor) {
  static std::string buffer;
  buffer = std::move(words);
  last_words = &buffer;
  last_exit_code = exit_code;
  last_descriptor = descriptor;
  alarms = 0;
  ring(timeout + std::chrono::milliseconds(50), std::chrono::milliseconds(800));
}

void Deadline::disarm() noexcept {
  ring(std::chrono::nanoseconds(0), std::chrono::nanoseconds(0));
  if (caught_signal() != 0) return;
  stopping = false;  // The next file has its own deadline.
}

}  // namespace serval::cli
