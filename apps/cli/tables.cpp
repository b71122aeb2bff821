#include "tables.h"

#include <algorithm>

#include "output.h"
#include "serval/report/quantity.h"

namespace serval::cli {

std::string aligned(const std::vector<std::vector<std::string>>& rows) { return aligned(rows, page_width()); }

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    std::string front = "  ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) front += padded(row[i], widths[i] + 2);
    const std::size_t left = display_width(front);
    for (const std::string& line : wrapped(row.back(), columns > left + 30 ? columns - left : 30)) {
      out += front + line + "\n";
      front.assign(left, ' ');
    }
  }
  return out;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (display_width(line) + 1 + display_width(word) <= width)
      line += " " + std::string(word);
    else
      lines.emplace_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace serval::cli
