#include "serval/base/printable.h"

#include <fmt/format.h>

#include "serval/base/utf8.h"

namespace serval {

void append_printable(std::string& out, std::string_view sequence) {
  const std::uint32_t code = utf8_code_point(sequence);
  if (is_printable(code))
    out += sequence;
  else
    out += escaped_code_point(code);
}

bool is_printable(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  if (code == 0x061C || code == 0xFEFF) return false;  // Arabic letter mark, byte order mark.
  if (code < 0x200B || code > 0x2069) return true;
  return !(code <= 0x200F || (code >= 0x2028 && code <= 0x202E) || code >= 0x2060);
}

std::string escaped_code_point(std::uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\u{:04x}", code);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else
      append_printable(out, text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace serval
