#include "serval/predicate/match_index.h"

#include <algorithm>
#include <numeric>

#include "serval/base/contract.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/region.h"

namespace serval {
namespace {

using Kind = Condition::Kind;

std::uint8_t family_bit(Cut::Family family) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(family));
}
constexpr std::uint8_t kNullBit = 1u << static_cast<unsigned>(Cut::Family::Null);

bool is_integer(const Scalar& value) { return value.kind() == Scalar::Kind::Integer; }

// The order of the index; NULL first.
bool is_before(const Scalar& a, const Scalar& b) {
  if (is_integer(a) && is_integer(b)) return a.as_integer() < b.as_integer();
  return cut_before(a) < cut_before(b);
}

// Whether every comparison of a column with a constant is between comparable kinds, given the kinds that
// occur in each column. For anything more complex, the region covers everything and every row is
// evaluated.
class KindCheck {
 public:
  KindCheck(const Condition& condition, std::span<const std::uint8_t> families)
      : condition_(condition), nodes_(condition.nodes()), families_(families) {}

  bool may_mix(std::uint32_t index) const {
    switch (nodes_[index].kind) {
      case Kind::And:
      case Kind::Or:
      case Kind::Not:
        return any_operand(index);
      case Kind::Column:
        return clashes(index, Cut::Family::Boolean);
      case Kind::Like:
        return is_column(index + 1) && clashes(index + 1, Cut::Family::Text);
      case Kind::IsNull:
        return is_column(index + 1) && (families_[nodes_[index + 1].at] & 0x80) != 0;
      default:
        return clashing_operands(index);
    }
  }

 private:
  bool is_column(std::uint32_t index) const { return nodes_[index].kind == Kind::Column; }
  bool clashes(std::uint32_t column, Cut::Family family) const {
    return (families_[nodes_[column].at] & ~(family_bit(family) | kNullBit)) != 0;
  }
  bool any_operand(std::uint32_t index) const {
    for (const std::uint32_t child : condition_.operands(index))
      if (may_mix(child)) return true;
    return false;
  }
  // Compares the kinds of all columns and all constants among the operands of a comparison.
  bool clashing_operands(std::uint32_t index) const {
    for (const std::uint32_t a : condition_.operands(index)) {
      if (!is_column(a)) continue;
      for (const std::uint32_t b : condition_.operands(index)) {
        if (nodes_[b].kind != Kind::Constant) continue;
        const Scalar& value = condition_.constants()[nodes_[b].at];
        if (value.is_undefined() || (!value.is_null() && clashes(a, cut_before(value).family))) return true;
      }
    }
    return false;
  }

  const Condition& condition_;
  std::span<const Condition::Node> nodes_;
  std::span<const std::uint8_t> families_;
};

}  // namespace

void VersionRows::begin_key(KeyId key) {
  keys_.push_back(key);
  first_.push_back(static_cast<std::uint32_t>(present_.size()));
}

void VersionRows::add_row(std::span<const Scalar> row) {
  expects(!keys_.empty() && row.size() == columns_.size(), "a key, and a value for every column");
  expects(present_.size() < MatchChanges::kNone, "fewer than 2^32 - 1 versions");
  present_.push_back(1);
  for (std::size_t i = 0; i < row.size(); ++i) values_[i].push_back(row[i]);
}

void VersionRows::add_absence() {
  expects(!keys_.empty(), "a key first");
  present_.push_back(0);
  for (std::vector<Scalar>& column : values_) column.emplace_back();
}

MatchChanges::Neighbours MatchChanges::around(const Key& key, std::uint32_t seen) const {
  const std::span<const std::uint32_t> changes = positions(key);
  const auto after = std::ranges::upper_bound(changes, seen);
  return {after == changes.begin() ? kNone : *std::prev(after), after == changes.end() ? kNone : *after};
}

MatchChanges::Neighbours MatchChanges::around(KeyId key, std::uint32_t seen) const {
  const auto found = places_.find(key);
  return found == places_.end() ? Neighbours{} : around(keys_[found->second], seen);
}

bool MatchChanges::matches(const Key& key, std::uint32_t position) const {
  const std::span<const std::uint32_t> changes = positions(key);
  return (std::ranges::upper_bound(changes, position) - changes.begin()) % 2 == 1;
}

MatchIndex::MatchIndex(VersionRows table) : table_(std::move(table)), columns_(table_.columns_.size()) {
  for (std::size_t i = 0; i < columns_.size(); ++i) build(i);
}

void MatchIndex::build(std::size_t column) {
  ColumnIndex& index = columns_[column];
  const std::vector<Scalar>& values = table_.values_[column];
  bool whole = true;
  for (std::uint32_t version = 0; version < values.size(); ++version) {
    if (table_.present_[version] == 0) continue;
    const Scalar& value = values[version];
    if (value.is_undefined()) {
      index.families |= kOdd;
      continue;
    }
    index.families |=
        is_integer(value) ? family_bit(Cut::Family::Number) : family_bit(cut_before(value).family);
    whole = whole && is_integer(value);
    index.by_value.push_back(version);
  }
  if (!whole) {
    std::ranges::stable_sort(index.by_value, is_before,
                             [&](std::uint32_t v) -> const Scalar& { return values[v]; });
    return;
  }
  std::vector<std::pair<std::int64_t, std::uint32_t>> sorted;  // For locality.
  sorted.reserve(index.by_value.size());
  for (const std::uint32_t version : index.by_value)
    sorted.emplace_back(values[version].as_integer(), version);
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) index.by_value[i] = sorted[i].second;
}

MatchIndex::Places MatchIndex::places_of(const Condition& condition) const {
  Places out;
  for (const std::string& name : condition.columns()) {
    const auto found = std::ranges::find(table_.columns_, name);
    out.push_back(found == table_.columns_.end()
                      ? std::nullopt
                      : std::optional(static_cast<std::size_t>(found - table_.columns_.begin())));
  }
  return out;
}

bool MatchIndex::may_mix_kinds(const Condition& condition, const Places& places) const {
  std::vector<std::uint8_t> families;
  for (const std::optional<std::size_t>& place : places)
    families.push_back(place ? columns_[*place].families : kOdd);
  return !condition.problem().empty() || KindCheck(condition, families).may_mix(0);
}

MatchIndex::Ranges MatchIndex::ranges(std::size_t column, const IntervalSet& set) const {
  const std::vector<std::uint32_t>& order = columns_[column].by_value;
  const std::vector<Scalar>& values = table_.values_[column];
  const auto place = [&](const Cut& cut) {
    return static_cast<std::size_t>(
        std::ranges::partition_point(
            order, [&](std::uint32_t version) { return cut_before(values[version]) < cut; }) -
        order.begin());
  };
  Ranges out;
  for (const IntervalSet::Interval& interval : set.intervals())
    out.emplace_back(place(interval.low), place(interval.high));
  return out;
}

MatchIndex::Choice MatchIndex::choose(const Condition& condition, const Places& places) const {
  Choice out{.count = version_count()};
  if (may_mix_kinds(condition, places)) return out;
  const Region region = region_of(condition);
  if (region.empty()) return {.column = 0};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const IntervalSet hull = region.hull(i);
    if (hull.is_everything()) continue;
    Ranges found = ranges(*places[i], hull);
    const auto count =
        std::accumulate(found.begin(), found.end(), std::size_t{0},
                        [](std::size_t sum, auto range) { return sum + range.second - range.first; });
    if (out.column && count >= out.count) continue;
    out = {.column = *places[i], .ranges = std::move(found), .count = count};
  }
  out.all_match = region.exact && places.size() == 1 && out.column;
  return out;
}

std::size_t MatchIndex::count_candidates(const Condition& condition) const {
  return choose(condition, places_of(condition)).count;
}

std::vector<std::uint32_t> MatchIndex::candidates(const Choice& choice) const {
  std::vector<std::uint32_t> out;
  if (!choice.column) {
    out.resize(version_count());
    std::iota(out.begin(), out.end(), 0u);
    return out;
  }
  out.reserve(choice.count);
  for (const auto& [from, to] : choice.ranges) {
    const auto begin = columns_[*choice.column].by_value.begin();
    out.insert(out.end(), begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to));
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::uint32_t> MatchIndex::matching(const Condition& condition, Budget& budget,
                                                MatchChanges& out) const {
  const Places places = places_of(condition);
  const Choice choice = choose(condition, places);
  std::vector<std::uint32_t> found = candidates(choice);
  if (choice.all_match) return found;
  std::vector<Scalar> row(places.size(), Scalar::undefined());
  std::erase_if(found, [&](std::uint32_t version) {
    budget.poll("matching versions");
    if (table_.present_[version] == 0) return true;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i]) row[i] = table_.values_[*places[i]][version];
    const Truth truth = evaluate(condition, row);
    if (truth == Truth::Undefined && !out.undefined_) {
      const std::size_t key = key_of(version);
      out.undefined_ = {table_.keys_[key], version - table_.first_[key]};
    }
    return truth != Truth::True;
  });
  return found;
}

std::size_t MatchIndex::key_of(std::uint32_t version) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(table_.first_, version) - table_.first_.begin() -
                                  1);
}

std::uint32_t MatchIndex::end_of(std::size_t key) const {
  return key + 1 < table_.first_.size() ? table_.first_[key + 1]
                                        : static_cast<std::uint32_t>(version_count());
}

// A run of matching versions of one key starts with a change and, unless it extends to the key's last
// version, is followed by one.
MatchChanges MatchIndex::changes(const Condition& condition, Budget& budget) const {
  MatchChanges out;
  const std::vector<std::uint32_t> found = matching(condition, budget, out);
  for (std::size_t i = 0; i < found.size();) {
    budget.poll("changes of matches");
    const std::size_t key = key_of(found[i]);
    const std::uint32_t start = table_.first_[key], end = end_of(key);
    const auto first = static_cast<std::uint32_t>(out.positions_.size());
    while (i < found.size() && found[i] < end) {
      out.positions_.push_back(found[i] - start);
      std::uint32_t next = found[i] + 1;
      for (++i; i < found.size() && found[i] == next && next < end; ++i) ++next;
      if (next < end) out.positions_.push_back(next - start);
    }
    out.places_.emplace(table_.keys_[key], static_cast<std::uint32_t>(out.keys_.size()));
    out.keys_.push_back({table_.keys_[key], first, static_cast<std::uint32_t>(out.positions_.size())});
  }
  return out;
}

}  // namespace serval
