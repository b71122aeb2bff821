#include "output.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "serval/base/error.h"
#include "serval/base/printable.h"

namespace serval::cli {
namespace {

// A signal may interrupt a write to a slow pipe; C streams would lose the rest.
bool write_all(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

void print(std::string_view result) {
  if (!write_all(STDOUT_FILENO, result))
    throw OutputError(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void note(std::string_view message) noexcept {
  try {
    write_all(STDERR_FILENO, printable_lines(message) + "\n");
  } catch (const std::bad_alloc&) {
    write_all(STDERR_FILENO, "error: out of memory\n");
  }
}

void draw(std::string_view text) noexcept { write_all(STDERR_FILENO, text); }

bool wants_colour(Colour asked) {
  if (asked != Colour::Auto) return asked == Colour::Always;
  if (is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0") return true;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return ::isatty(STDOUT_FILENO) == 1;
}

std::size_t page_width() {
  constexpr std::size_t kLeast = 60, kUsual = 110;
  std::size_t columns = 0;
  if (const char* const asked = std::getenv("COLUMNS"))
    std::from_chars(asked, asked + std::strlen(asked), columns);
  winsize size{};
  if (columns == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? kUsual : std::max(columns, kLeast);
}

}  // namespace serval::cli
