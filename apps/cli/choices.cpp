#include "choices.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/base/nearest_names.h"

namespace serval::cli {

std::size_t choose(std::string_view flag, std::string_view word, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end())
    throw UsageError(fmt::format("{} does not accept \"{}\"", flag, word), did_you_mean(word, words));
  return static_cast<std::size_t>(found - words.begin());
}

Level choose_level(std::string_view name) {
  if (const std::optional<Level> level = find_level(name)) return *level;
  const std::vector<std::string_view> near = suggest_levels(name);
  throw UsageError(fmt::format("there is no level \"{}\"", name),
                   near.empty() ? "serval levels lists them all" : did_you_mean(name, near));
}

AnomalyKind choose_anomaly(std::string_view name) {
  if (const std::optional<AnomalyKind> kind = find_anomaly(name)) return *kind;
  std::vector<std::string_view> names;
  for (const AnomalyInfo& row : all_anomalies()) {
    names.push_back(row.name);
    if (!row.adya.empty()) names.push_back(row.adya);
    names.insert(names.end(), row.aliases.begin(), row.aliases.end());
  }
  const std::vector<std::string_view> near = nearest_names(name, names);
  throw UsageError(fmt::format("there is no anomaly \"{}\"", name),
                   near.empty() ? "serval anomalies lists them all" : did_you_mean(name, near));
}

std::optional<Format> choose_format(std::string_view flag, std::string_view name) {
  if (name == "auto") return std::nullopt;
  if (const std::optional<Format> format = format_named(name)) return format;
  std::vector<std::string_view> names;
  for (const FormatInfo& row : all_formats()) names.push_back(row.name);
  throw UsageError(fmt::format("{}: there is no format \"{}\"", flag, name), did_you_mean(name, names));
}

Colour choose_colour(std::string_view word) {
  static constexpr std::array<std::string_view, 3> kWords{"auto", "always", "never"};
  return static_cast<Colour>(choose("--color", word, kWords));
}

ProgressMode choose_progress(std::string_view word) {
  static constexpr std::array<std::string_view, 3> kWords{"auto", "plain", "none"};
  return static_cast<ProgressMode>(choose("--progress", word, kWords));
}

}  // namespace serval::cli
