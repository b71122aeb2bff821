#pragma once
// Makes text safe for a terminal. Text from histories, databases, clients and file names may contain
// characters that move the cursor, change the title, forge a line of output or reverse the reading order
// ("Trojan source", CVE-2021-42574). Everything that prints such text for people passes it through these
// functions.
//
//   printable("a\x1b[31m\nb")    ->  a\u001b[31m\nb      (with a backslash and an n)
//
// Escapes control characters (C0, DEL, C1), line and paragraph separators, and characters that change
// direction or are invisible. Bytes that are not UTF-8 become \xNN. Backslashes are unchanged.

#include <cstdint>
#include <string>
#include <string_view>

namespace serval {

// A single line: newlines and tabs are escaped as well.
std::string printable(std::string_view text);
// Several lines: newlines are kept.
std::string printable_lines(std::string_view text);

bool is_printable(std::uint32_t code_point);
// "\n", "\t", "\r", otherwise "\u" and four hexadecimal digits. `code_point` must be unprintable.
std::string escaped_code_point(std::uint32_t code_point);
// Appends one well-formed UTF-8 sequence, escaped if it is not printable.
void append_printable(std::string& out, std::string_view sequence);

}  // namespace serval
