#pragma once
// Results go to standard output, everything else to standard error.

#include <cstddef>
#include <string_view>

namespace serval::cli {

void print(std::string_view result);  // Throws OutputError if it cannot be written.
// Lines on standard error. Control characters are escaped (base/printable.h).
void note(std::string_view message) noexcept;
void draw(std::string_view text) noexcept;  // The same without a newline, for lines that are redrawn.

enum class Colour { Auto, Always, Never };
// Decided by the flag, then NO_COLOR, CLICOLOR_FORCE and TERM=dumb, then whether standard output is a
// terminal.
bool wants_colour(Colour asked);

// Width of the output: COLUMNS, else that of the terminal on standard output, else 110. At least 60.
std::size_t page_width();

}  // namespace serval::cli
