#pragma once
// What a terminal may show. Text that comes from histories, databases, clients and file names may hold
// characters that move the cursor, change the title, forge a line of output or reverse the order of reading
// ("Trojan source", CVE-2021-42574). Whatever prints such text for people passes it through here.
//
//   printable("a\x1b[31m\nb")    ->  a\u001b[31m\nb      (with a backslash and an n)
//
// Escaped are control characters (C0, DEL, C1), line and paragraph separators, and what changes direction or
// is invisible. Bytes that are not UTF-8 become \xNN. Backslashes stay as they are.

#include <cstdint>
#include <string>
#include <string_view>

namespace serval {

// One line: newlines and tabs are escaped too.
std::string printable(std::string_view text);
// Several lines: the same, but newlines stay.
std::string printable_lines(std::string_view text);

bool is_printable(std::uint32_t code_point);
// "\n", "\t", "\r", otherwise "\u" and four hexadecimal digits. `code_point` is one that is not printable.
std::string escaped_code_point(std::uint32_t code_point);
// Appends one well-formed UTF-8 sequence, escaped where it is not printable.
void append_printable(std::string& out, std::string_view sequence);

}  // namespace serval
