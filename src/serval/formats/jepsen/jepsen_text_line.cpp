#include "serval/formats/jepsen/jepsen_text_line.h"

#include <algorithm>
#include <array>

namespace serval {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view take_column(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::size_t length = std::min(text.find_first_of(kBlanks), text.size());
  const std::string_view column = text.substr(0, length);
  text.remove_prefix(length);
  return column;
}

bool is_process(std::string_view column) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == ':' || c == '-';
  };
  return !column.empty() && std::ranges::all_of(column, fits);
}

}  // namespace

bool begins_operation(std::string_view text) {
  constexpr std::array<std::string_view, 4> kTypes{":invoke", ":ok", ":fail", ":info"};
  if (!is_process(take_column(text))) return false;
  return std::ranges::find(kTypes, take_column(text)) != kTypes.end();
}

std::optional<std::size_t> logged_operation(std::string_view line) {
  for (const std::string_view mark : {"jepsen.util - ", "jepsen.util: "}) {
    const std::size_t found = line.find(mark);
    if (found == std::string_view::npos) continue;
    const std::size_t start = found + mark.size();
    if (begins_operation(line.substr(start))) return start;
  }
  return std::nullopt;
}

bool is_jepsen_util_log(std::string_view start) {
  while (!start.empty()) {
    const std::string_view line = start.substr(0, start.find('\n'));
    if (logged_operation(line)) return true;
    start.remove_prefix(std::min(line.size() + 1, start.size()));
  }
  return false;
}

}  // namespace serval
