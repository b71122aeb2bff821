#include "tables.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "output.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

constexpr std::size_t kNarrow = 36;  // Text in fewer columns is hard to read.
constexpr std::string_view kIndent = "      ";

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

std::string without_trailing_blanks(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

// Where to cut a word so that its front fits: before a `[`, or nowhere.
std::size_t cut_of(std::string_view word, std::size_t width) {
  if (display_width(word) <= width) return word.size();
  const std::size_t cut = word.rfind('[', width);
  return cut == 0 || cut == std::string_view::npos ? word.size() : cut;
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows) { return aligned(rows, page_width()); }

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    std::string front = "  ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) front += padded(row[i], widths[i] + 2);
    const std::size_t left = display_width(front);
    const bool fits = left + std::min(kNarrow, widths[row.size() - 1]) <= columns;
    if (!fits) out += without_trailing_blanks(std::exchange(front, kIndent)) + "\n";
    if (!fits && row.back().empty()) continue;
    const std::size_t indent = display_width(front);
    for (const std::string& line : wrapped(row.back(), columns - indent)) {
      out += without_trailing_blanks(front + line) + "\n";
      front.assign(indent, ' ');
    }
  }
  return out;
}

std::string paragraph(std::string_view text) {
  return fmt::format("{}\n", fmt::join(wrapped(text, page_width()), "\n"));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  bool joins = false;  // The word continues the one before.
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find(' '));
    const std::string_view word = whole.substr(0, cut_of(whole, width));
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (!joins && display_width(line) + 1 + display_width(word) <= width)
      line += " " + std::string(word);
    else
      lines.emplace_back(word);
    joins = word.size() < whole.size();
    text.remove_prefix(joins ? word.size() : std::min(word.size() + 1, text.size()));
  }
  return lines;
}

}  // namespace serval::cli
