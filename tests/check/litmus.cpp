#include "check/litmus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "serval/base/contract.h"

namespace serval {
namespace {

Level level_named(const std::string& name) {
  const std::optional<Level> level = find_level(name);
  expects(level.has_value(), "a litmus file names levels that exist");
  return *level;
}

std::vector<Level> levels_named(const std::string& names) {
  std::vector<Level> levels;
  if (names == "nothing") return levels;
  for (std::size_t begin = 0, end; begin < names.size(); begin = end + 2) {
    end = std::min(names.find(", ", begin), names.size());
    levels.push_back(level_named(names.substr(begin, end - begin)));
  }
  return levels;
}

void read_header(const std::string& line, Litmus& litmus) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("# ") || colon == std::string::npos) return;
  const std::string field = line.substr(2, colon - 2), value = line.substr(colon + 2);
  if (field.starts_with("expect "))
    litmus.expected[level_named(field.substr(7))] = value;
  else if (field == "holds")
    litmus.holds = levels_named(value);
  else if (field == "violated")
    litmus.violated = levels_named(value);
  else
    litmus.fields[field] = value;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

Litmus parse_litmus(const std::string& name, const std::string& text) {
  Litmus litmus{.file = name, .text = text};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) read_header(line, litmus);
  return litmus;
}

std::vector<Litmus> all_litmus() {
  std::vector<Litmus> all;
  for (const auto& entry : std::filesystem::directory_iterator(SERVAL_TEST_DIR "/litmus"))
    if (entry.path().extension() == ".litmus")
      all.push_back(parse_litmus(entry.path().stem().string(), text_of(entry.path())));
  std::ranges::sort(all, {}, &Litmus::file);
  return all;
}

bool claims_to_hold(const Litmus& litmus, Level level) {
  return std::ranges::any_of(litmus.holds, [level](Level claimed) { return implies(claimed, level); });
}
bool claims_violated(const Litmus& litmus, Level level) {
  return std::ranges::any_of(litmus.violated, [level](Level claimed) { return implies(level, claimed); });
}

}  // namespace serval
