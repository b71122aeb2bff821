#include "serval/check/certificate/matching.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "serval/predicate/evaluate.h"
#include "serval/predicate/print_predicate.h"
#include "serval/predicate/row_columns.h"

namespace serval {

Matching::Matching(const History& history, const CertifiedVersions& versions, Budget& budget)
    : history_(history), versions_(versions) {
  collect_conditions(history, budget);
  if (conditions_.empty() || !problem_.empty()) return;
  collect_columns(budget);
  choose_ways(budget);
  require_defined(budget);
}

void Matching::collect_conditions(const History& history, Budget& budget) {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> by_predicate;
  Known known;
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationId op{i};
    if (!is_predicate(history.kind(op))) continue;
    budget.poll("predicates");
    if (query_of_.empty()) query_of_.assign(history.operation_count(), kNone);
    const PredicateId id = history.predicate_id(op);
    if (id.is_none()) continue;
    const auto [place, is_new] =
        by_predicate.try_emplace(id.index, static_cast<std::uint32_t>(queries_.size()));
    if (is_new) {
      queries_.push_back(serval::query_of(history.predicate(id), history.values()));
      const std::optional<std::uint32_t> where = condition(history, id, queries_.back().where, known);
      if (!where) return;
      where_of_.push_back(*where);
    }
    query_of_[i] = place->second;
    ++conditions_[where_of_[place->second]].operations;
  }
}

std::optional<std::uint32_t> Matching::condition(const History& history, PredicateId id,
                                                 const Condition& where, Known& known) {
  const auto [place, is_new] = known.try_emplace(&where, static_cast<std::uint32_t>(conditions_.size()));
  if (!is_new) return place->second;
  const std::optional<std::size_t> table = table_named(history, where);
  if (!table) return std::nullopt;
  conditions_.push_back({.predicate = id, .where = &where, .table = *table});
  return place->second;
}

std::optional<std::size_t> Matching::table_named(const History& history, const Condition& condition) {
  const serval::Table of(condition);
  const auto known = std::ranges::find(tables_, of.name(), &Table::name);
  if (known != tables_.end()) return static_cast<std::size_t>(known - tables_.begin());
  if (of.is_join()) {
    problem_ = "a predicate refers to columns of several tables";
    return std::nullopt;
  }
  Table table{.name = of.name(), .keys = {}, .has = std::vector<bool>(history.key_count(), false)};
  for (const KeyId key : history.key_ids()) {
    const Truth has = of.has(history, key);
    if (has == Truth::Undefined) {
      problem_ =
          fmt::format("whether {} is a row of table {} was not recorded", history.format_key(key), of.name());
      return std::nullopt;
    }
    if (has != Truth::True) continue;
    table.keys.push_back(key);
    table.has[key.index] = true;
  }
  tables_.push_back(std::move(table));
  return tables_.size() - 1;
}

void Matching::collect_columns(Budget& budget) {
  std::vector<std::string> names;
  for (Prepared& prepared : conditions_)
    for (const std::string& name : prepared.where->columns()) {
      const auto found = std::ranges::find(names, name);
      prepared.columns.push_back(static_cast<std::uint32_t>(found - names.begin()));
      if (found == names.end()) names.push_back(name);
    }
  const std::size_t count = versions_.all().size();
  for (const std::string& name : names)
    columns_.push_back({.name = name, .integers = std::vector<std::int64_t>(count, kNull), .values = {}});
  present_.assign(count, false);
  std::vector<Scalar> row;
  for (const KeyId key : history_.key_ids()) {
    std::uint32_t at = versions_.first(key);
    for (const CertifiedVersions::Version& version : versions_.of(key)) {
      budget.poll("columns");
      const std::uint32_t here = at++;
      if (version.value.is_nil()) continue;
      present_[here] = true;
      read_columns(names, history_.key_value(key), version.value, history_.values(), row);
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        Column& column = columns_[i];
        column.kinds.add(row[i].kind());
        const bool integer = row[i].kind() == Scalar::Kind::Integer && row[i].as_integer() != kNull;
        if (column.values.empty() && !integer && !row[i].is_null()) drop_integers_where_others_are(column);
        if (!column.values.empty())
          column.values[here] = std::move(row[i]);
        else if (integer)
          column.integers[here] = row[i].as_integer();
        const bool first = here == versions_.first(key);  // It has no previous version.
        column.changes +=
            !first && (!column.values.empty() || column.integers[here] != column.integers[here - 1]);
      }
    }
  }
}

void Matching::drop_integers_where_others_are(Column& column) {
  column.values.resize(column.integers.size());
  for (std::size_t i = 0; i < column.integers.size(); ++i)
    if (column.integers[i] != kNull) column.values[i] = Scalar(column.integers[i]);
  column.integers.clear();
}

std::optional<std::vector<IntegerBox>> Matching::boxes_of(const Prepared& prepared) const {
  for (const std::uint32_t column : prepared.columns)
    if (!columns_[column].values.empty()) return std::nullopt;
  std::optional<std::vector<IntegerBox>> boxes = integer_boxes(*prepared.where);
  if (!boxes) return std::nullopt;
  for (IntegerBox& box : *boxes)
    for (IntegerBound& bound : box) bound.column = prepared.columns[bound.column];
  return boxes;
}

// If there are few keys, each is examined. If there are many, those that never match should be skipped.
//
// A walk from a version ends at the next change. If a share `s` of the versions matches, spread evenly
// over the keys, it takes about 1 / s + 1 / (1 - s) steps per key, and at most as many as the key has
// versions. Each operation is queried a few times.
void Matching::choose_ways(Budget& budget) {
  constexpr std::size_t kFewKeys = 256;
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  std::vector<std::optional<MatchIndex>> indexes(tables_.size());
  const auto index_of = [&](std::size_t at) -> const MatchIndex& {
    if (indexes[at]) return *indexes[at];
    VersionRows table(names);
    std::vector<Scalar> row(names.size());
    for (const KeyId key : tables_[at].keys) {
      table.begin_key(key);
      const auto size = static_cast<std::uint32_t>(versions_.of(key).size());
      for (std::uint32_t v = versions_.first(key); v < versions_.first(key) + size; ++v) {
        if (!has_row(v)) {
          table.add_absence();
          continue;
        }
        for (std::size_t i = 0; i < columns_.size(); ++i) row[i] = column_value(columns_[i], v);
        table.add_row(row);
      }
    }
    return indexes[at].emplace(std::move(table));
  };
  std::map<std::pair<std::size_t, std::vector<IntegerBox>>, std::shared_ptr<const MatchChanges>> by_boxes;
  for (Prepared& prepared : conditions_) {
    budget.poll("predicates");
    prepared.boxes = boxes_of(prepared);
    const std::size_t keys = tables_[prepared.table].keys.size();
    if (keys <= kFewKeys) continue;
    const MatchIndex& index = index_of(prepared.table);
    const auto versions = static_cast<double>(index.version_count());
    const auto matching = static_cast<double>(index.count_candidates(*prepared.where)) + 1;
    const double spread = versions / matching + versions / std::max(1.0, versions - matching);
    const double most = versions / static_cast<double>(keys);
    const double steps = varies_within_keys(prepared) ? std::min(most, spread) : most;
    const double step = prepared.boxes ? 1 : 50;
    constexpr double kTimes = 4;
    const double walks =
        kTimes * static_cast<double>(prepared.operations) * static_cast<double>(keys) * (5 + step * steps);
    const double changes = matching * (10 + std::log2(matching + 1)) * (prepared.boxes ? 1 : 10);
    if (changes > walks) continue;
    std::shared_ptr<const MatchChanges> unshared;
    std::shared_ptr<const MatchChanges>& shared =
        prepared.boxes ? by_boxes[{prepared.table, *prepared.boxes}] : unshared;
    if (!shared) shared = std::make_shared<const MatchChanges>(index.changes(*prepared.where, budget));
    prepared.changes = shared;
    if (prepared.changes->undefined())
      problem_ = fmt::format("whether a version of {} matches a predicate is not defined",
                             history_.format_key(prepared.changes->undefined()->key));
  }
}

bool Matching::is_always_defined(const Prepared& prepared) const {
  std::vector<ScalarKinds> kinds;
  for (const std::uint32_t column : prepared.columns) kinds.push_back(columns_[column].kinds);
  return is_defined_everywhere(*prepared.where, kinds);
}

void Matching::require_defined(Budget& budget) {
  for (const Prepared& prepared : conditions_) {
    if (!problem_.empty()) return;
    if (prepared.boxes || is_always_defined(prepared)) continue;
    for (const KeyId key : tables_[prepared.table].keys)
      for (std::uint32_t i = 0; i < versions_.of(key).size(); ++i) {
        budget.poll("predicates");
        evaluate_version(prepared, versions_.first(key) + i);
      }
  }
}

bool Matching::varies_within_keys(const Prepared& prepared) const {
  const auto varies = [&](std::uint32_t column) {
    return columns_[column].changes * 10 > versions_.all().size();
  };
  return std::ranges::any_of(prepared.columns, varies);
}

std::optional<std::size_t> Matching::condition_of(OperationId op) const {
  if (query_of_.empty() || query_of_[op.index] == kNone) return std::nullopt;
  return where_of_[query_of_[op.index]];
}

bool Matching::covers(std::size_t condition, KeyId key) const {
  return tables_[conditions_[condition].table].has[key.index];
}

Scalar Matching::column_value(const Column& column, std::uint32_t version) const {
  if (!column.values.empty()) return column.values[version];
  return column.integers[version] == kNull ? Scalar() : Scalar(column.integers[version]);
}

bool Matching::evaluate_version(const Prepared& prepared, std::uint32_t version) const {
  if (!has_row(version)) return false;
  std::vector<Scalar> row;
  for (const std::uint32_t column : prepared.columns) row.push_back(column_value(columns_[column], version));
  return decide(prepared, evaluate(*prepared.where, row), key_of(version));
}

KeyId Matching::key_of(std::uint32_t version) const {
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(history_.key_count());
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (versions_.first(KeyId{middle}) <= version ? low : high) = middle;
  }
  return KeyId{low};
}

bool Matching::decide(const Prepared& prepared, Truth truth, KeyId key) const {
  if (truth == Truth::Undefined && problem_.empty())
    problem_ = fmt::format("whether a version of {} matches \"{}\" is not defined", history_.format_key(key),
                           print_predicate(history_.predicate(prepared.predicate), history_.values()));
  return truth == Truth::True;
}

Matching::Around Matching::around(std::size_t condition, KeyId key, std::uint32_t position) const {
  const Prepared& prepared = conditions_[condition];
  if (prepared.changes) {
    const MatchChanges::Neighbours near = prepared.changes->around(key, position);
    return {matches(condition, key, position), near.at_or_before, near.after};
  }
  const std::uint32_t first = versions_.first(key);
  const auto size = static_cast<std::uint32_t>(versions_.of(key).size());
  Around out{.matches = match(prepared, first + position)};
  for (std::uint32_t at = position + 1; at < size; ++at)
    if (match(prepared, first + at) != out.matches) {
      out.after = at;
      break;
    }
  for (std::uint32_t at = position; at > 0; --at)
    if (match(prepared, first + at - 1) != out.matches) {
      out.at_or_before = at;
      break;
    }
  return out;
}

bool Matching::matches_value(std::size_t condition, KeyId key, Value value) const {
  if (value.is_nil() || !covers(condition, key)) return false;
  const Prepared& prepared = conditions_[condition];
  std::vector<Scalar> row;
  read_columns(prepared.where->columns(), history_.key_value(key), value, history_.values(), row);
  return decide(prepared, evaluate(*prepared.where, row), key);
}

Scalar Matching::value_of(const Condition& expression, KeyId key, Value value) const {
  std::vector<Scalar> row;
  read_columns(expression.columns(), history_.key_value(key), value, history_.values(), row);
  return serval::value_of(expression, row);
}

}  // namespace serval
