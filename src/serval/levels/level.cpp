// Lookups in the table of levels (level_table.cpp): names, and the closure of the implications.

#include "serval/levels/level.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>

#include "serval/base/contract.h"
#include "serval/base/folded_name.h"
#include "serval/base/nearest_names.h"
#include "serval/levels/level_table.h"

namespace serval {
namespace {

constexpr std::size_t kLevelCount = static_cast<std::size_t>(Level::StrictSerializable) + 1;

constexpr std::size_t index_of(Level level) { return static_cast<std::size_t>(level); }

const std::vector<LevelInfo>& table() {
  static const std::vector<LevelInfo> levels = [] {
    std::vector<LevelInfo> rows = level_rows();
    for (std::size_t i = 0; i < rows.size(); ++i)
      expects(index_of(rows[i].level) == i,
              "the rows of the level table are in the order of the enumeration");
    expects(rows.size() == kLevelCount, "one row per level");
    return rows;
  }();
  return levels;
}

using LevelSet = std::bitset<kLevelCount>;

// Rows are ordered from weakest to strongest, so one pass suffices.
const std::array<LevelSet, kLevelCount>& closure() {
  static const std::array<LevelSet, kLevelCount> sets = [] {
    std::array<LevelSet, kLevelCount> reached;
    for (const LevelInfo& row : table()) {
      LevelSet& set = reached[index_of(row.level)];
      set.set(index_of(row.level));
      for (const Level weaker : row.implies) {
        expects(weaker < row.level, "a level implies only levels above it in the table");
        set |= reached[index_of(weaker)];
      }
    }
    return reached;
  }();
  return sets;
}

const std::map<std::string, Level>& names() {
  static const std::map<std::string, Level> by_name = [] {
    std::map<std::string, Level> out;
    const auto add = [&out](std::string_view name, Level level) {
      expects(out.emplace(folded_name(name), level).second, "names and aliases of levels are unique");
    };
    for (const LevelInfo& row : table()) {
      add(row.name, row.level);
      for (const std::string_view alias : row.aliases) add(alias, row.level);
    }
    return out;
  }();
  return by_name;
}

}  // namespace

std::span<const LevelInfo> all_levels() { return table(); }

const LevelInfo& info(Level level) { return table().at(index_of(level)); }

std::string_view name_of(Level level) { return info(level).name; }

std::optional<Level> find_level(std::string_view name) {
  const auto found = names().find(folded_name(name));
  return found == names().end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string_view> suggest_levels(std::string_view misspelled) {
  std::vector<std::string_view> candidates;
  for (const auto& [folded, level] : names()) candidates.push_back(folded);
  std::vector<std::string_view> suggestions;
  for (const std::string_view near : nearest_names(folded_name(misspelled), candidates)) {
    const std::string_view name = name_of(names().at(std::string(near)));
    if (std::ranges::find(suggestions, name) == suggestions.end()) suggestions.push_back(name);
  }
  return suggestions;
}

bool implies(Level stronger, Level weaker) { return closure()[index_of(stronger)][index_of(weaker)]; }

bool uses_session_order(Level level) {
  switch (level) {
    case Level::ReadUncommitted:
    case Level::ReadCommitted:
    case Level::CursorStability:
    case Level::MonotonicAtomicView:
    case Level::MonotonicView:
    case Level::ConsistentView:
    case Level::RepeatableRead:
    case Level::SnapshotIsolation:
    case Level::Serializable:
    case Level::Linearizable:
      return false;
    default:
      return true;
  }
}

bool uses_real_time(Level level) {
  switch (level) {
    case Level::StrongReadUncommitted:
    case Level::StrongReadCommitted:
    case Level::StrongSnapshotIsolation:
    case Level::Linearizable:
    case Level::StrictSerializable:
      return true;
    default:
      return false;
  }
}

}  // namespace serval
