#include "oracle/brute_force.h"

#include <algorithm>

#include "oracle/commit_orders.h"
#include "oracle/executions.h"
#include "oracle/version_orders.h"

namespace serval::oracle {

const std::vector<Level>& decidable_levels() {
  static const std::vector<Level> levels = [] {
    std::vector<Level> all;
    for (const LevelInfo& row : all_levels()) all.push_back(row.level);
    return all;
  }();
  return levels;
}

bool satisfies(const History& history, Level level) {
  const auto is_among = [level](const std::vector<Level>& levels) {
    return std::ranges::count(levels, level) > 0;
  };
  if (is_among(execution_levels())) return has_execution(history, level);
  const Story story(history);
  if (is_among(version_order_levels())) return levels_by_version_order(story)[index_of(level)];
  LevelSet wanted;
  wanted.set(index_of(level));
  return levels_by_commit_order(story, wanted)[index_of(level)];
}

LevelSet satisfied_levels(const History& history) {
  const Story story(history);
  LevelSet wanted;
  for (const Level level : commit_order_levels()) wanted.set(index_of(level));
  LevelSet found = levels_by_version_order(story) | levels_by_commit_order(story, wanted);
  for (const Level level : execution_levels()) found[index_of(level)] = has_execution(history, level);
  return found;
}

}  // namespace serval::oracle
