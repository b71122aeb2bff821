#pragma once
// Text in aligned columns, wrapped at the width of the page.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace serval::cli {

// Every column is as wide as its widest cell. The last column is wrapped at page_width(), or at `columns`; if
// less than 36 columns are left for it, its cells go to lines of their own, indented by six.
std::string aligned(const std::vector<std::vector<std::string>>& rows);
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t columns);

std::string paragraph(std::string_view text);  // Wrapped at page_width(), with a newline at the end.
// `text` in lines of at most `width` columns, broken at blanks, and before a `[` in a word that is too long.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace serval::cli
