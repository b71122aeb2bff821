#pragma once
// Rows of words in aligned columns, wrapped to the width of a page.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace serval::cli {

// Every column as wide as its widest cell; the last one is wrapped, at page_width() or where told.
std::string aligned(const std::vector<std::vector<std::string>>& rows);
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t columns);
// `text` in lines of at most `width` columns, broken at blanks.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace serval::cli
