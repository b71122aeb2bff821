#include "serval/base/nearest_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace serval {
namespace {

// Optimal string alignment distance, three rows at a time.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[to.size()];
}

std::size_t distance_to_name(std::string_view word, std::string_view name) {
  if (!word.empty() && name.starts_with(word)) return 1;
  return edit_distance(word, name);
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view word, std::span<const std::string_view> names) {
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view name : names) {
    const std::size_t distance = distance_to_name(word, name);
    if (distance <= limit) near.emplace_back(distance, name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string_view>::first);
  std::vector<std::string_view> best;
  for (const auto& [distance, name] : near)
    if (best.size() < 3) best.push_back(name);
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  const std::vector<std::string_view> near = nearest_names(word, names);
  std::string text = near.empty() ? "one of: " : "did you mean ";
  const std::span<const std::string_view> shown = near.empty() ? names : near;
  const std::string_view quote = near.empty() ? "" : "\"";
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i > 0) text += near.empty() ? ", " : " or ";
    text.append(quote).append(shown[i]).append(quote);
  }
  return near.empty() ? text : text + "?";
}

}  // namespace serval
