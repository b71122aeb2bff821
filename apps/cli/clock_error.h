#pragma once
// --clock-error: how far the clocks of the clients may be wrong. Widens the intervals of a history that was
// read, so that an order of two transactions counts only if no such error explains it.

#include <chrono>
#include <cstdint>
#include <string>

#include "reading.h"

namespace serval::cli {

struct ClockError {
  std::chrono::nanoseconds most{0};
  std::string text;  // As given; empty if none was.
};

enum class Widening : std::uint8_t { History, Nothing };  // Nothing: the caller widens the times itself.

// Does nothing if no error was given. Adds a notice. Throws InputError if positions in the file take the
// place of times, because they have no unit.
void allow_for_clock_error(LoadedHistory& loaded, const std::string& path, const ClockError& error,
                           Widening widening);

}  // namespace serval::cli
