#include "oracle/brute_force.h"

#include <algorithm>

#include "oracle/commit_orders.h"
#include "oracle/executions.h"
#include "oracle/version_orders.h"
#include "serval/history/changed_history.h"

namespace serval::oracle {
namespace {

bool writes_unknown(const History& history, OperationId op) {
  const OperationKind kind = history.kind(op);
  return history.value(op).is_unknown() && (kind == OperationKind::Write || kind == OperationKind::Insert ||
                                            kind == OperationKind::CompareAndSet);
}

// The values that a write may have written, as far as they differ: what was read from the key, or
// anything else.
std::vector<Value> possible_values(const History& history, OperationId write, Value anything_else) {
  std::vector<Value> values{anything_else, history.initial_value()};
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationId op{i};
    if (history.key(op) != history.key(write)) continue;
    for (const Value value : {history.value(op), history.expected(op)})
      if (!value.is_unknown()) values.push_back(value);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Calls `visit` with the history for every choice of values for writes of unknown values, until it
// returns true. Returns whether it did.
template <class Visit>
bool some_values(const History& history, Visit visit) {
  std::vector<ChangedOperation> changes;
  for (std::uint32_t i = 0; i < history.operation_count(); ++i)
    if (writes_unknown(history, OperationId{i}))
      changes.push_back(
          {OperationId{i}, history.kind(OperationId{i}), Value::unknown(), history.expected(OperationId{i})});
  if (changes.empty()) return visit(history);
  const std::vector<Value> unused = unused_values(history, changes.size());
  std::vector<std::vector<Value>> choices;
  for (std::size_t i = 0; i < changes.size(); ++i)
    choices.push_back(possible_values(history, changes[i].op, unused[i]));
  std::vector<std::size_t> chosen(changes.size(), 0);
  for (std::size_t at = 0; at < changes.size();) {
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i].value = choices[i][chosen[i]];
    if (visit(with_changes(history, changes))) return true;
    for (at = 0; at < changes.size() && ++chosen[at] == choices[at].size(); ++at) chosen[at] = 0;
  }
  return false;
}

bool satisfies_with_values(const History& history, Level level);
LevelSet levels_with_values(const History& history);

}  // namespace

const std::vector<Level>& decidable_levels() {
  static const std::vector<Level> levels = [] {
    std::vector<Level> all;
    for (const LevelInfo& row : all_levels()) all.push_back(row.level);
    return all;
  }();
  return levels;
}

bool satisfies(const History& history, Level level) {
  return some_values(history, [level](const History& known) { return satisfies_with_values(known, level); });
}

LevelSet satisfied_levels(const History& history) {
  LevelSet found;
  some_values(history, [&](const History& known) {
    found |= levels_with_values(known);
    return false;
  });
  return found;
}

namespace {

bool satisfies_with_values(const History& history, Level level) {
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

LevelSet levels_with_values(const History& history) {
  const Story story(history);
  LevelSet wanted;
  for (const Level level : commit_order_levels()) wanted.set(index_of(level));
  LevelSet found = levels_by_version_order(story) | levels_by_commit_order(story, wanted);
  for (const Level level : execution_levels()) found[index_of(level)] = has_execution(history, level);
  return found;
}

}  // namespace
}  // namespace serval::oracle
