#include "serval/predicate/integer_boxes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "serval/predicate/region.h"

namespace serval {
namespace {

using Kind = Condition::Kind;

constexpr std::size_t kMostBoxes = 16;

bool compares_integers_only(const Condition& condition) {
  const auto plain = [&](const Condition::Node& node) {
    switch (node.kind) {
      case Kind::Constant:
        return condition.constants()[node.at].kind() == Scalar::Kind::Integer;
      case Kind::Column:
      case Kind::And:
      case Kind::Or:
      case Kind::Not:
      case Kind::In:
      case Kind::Between:
        return true;
      default:
        return is_comparison(node.kind);
    }
  };
  return condition.problem().empty() && std::ranges::all_of(condition.nodes(), plain);
}

// The integers in an interval of numbers; none if it is not such an interval.
std::optional<std::pair<std::int64_t, std::int64_t>> integers_of(const IntervalSet::Interval& interval) {
  using enum Cut::Place;
  const Cut &low = interval.low, &high = interval.high;
  if (low.family != Cut::Family::Number) return std::nullopt;
  const auto is_whole = [](const Cut& cut) { return cut.value.kind() == Scalar::Kind::Integer; };
  std::int64_t first = INT64_MIN + 1, last = INT64_MAX;
  if (low.place != Start) {
    if (!is_whole(low) || low.value.as_integer() == INT64_MIN || low.value.as_integer() == INT64_MAX)
      return std::nullopt;
    first = low.value.as_integer() + (low.place == AfterValue ? 1 : 0);
  }
  if (high.family == Cut::Family::Number && high.place != Start) {
    if (!is_whole(high) || high.value.as_integer() == INT64_MIN) return std::nullopt;
    last = high.value.as_integer() - (high.place == BeforeValue ? 1 : 0);
  } else if (high.family != Cut::Family::Text || high.place != Start) {
    return std::nullopt;
  }
  return std::pair(first, last);
}

// One box for each choice of an interval in every column.
std::optional<std::vector<IntegerBox>> parts_of(const Region::Box& box) {
  std::vector<IntegerBox> parts{IntegerBox{}};
  for (std::uint32_t column = 0; column < box.size(); ++column) {
    if (box[column].is_everything()) continue;
    std::vector<IntegerBox> finer;
    for (const IntervalSet::Interval& interval : box[column].intervals()) {
      const auto range = integers_of(interval);
      if (!range) return std::nullopt;
      for (IntegerBox part : parts) {
        part.push_back({column, range->first, range->second});
        finer.push_back(std::move(part));
      }
    }
    parts = std::move(finer);
    if (parts.size() > kMostBoxes) return std::nullopt;
  }
  return parts;
}

}  // namespace

std::optional<std::vector<IntegerBox>> integer_boxes(const Condition& condition) {
  if (!compares_integers_only(condition)) return std::nullopt;
  const Region region = region_of(condition);
  if (!region.exact) return std::nullopt;
  std::vector<IntegerBox> out;
  for (const Region::Box& box : region.boxes) {
    std::optional<std::vector<IntegerBox>> parts = parts_of(box);
    if (!parts) return std::nullopt;
    std::ranges::move(*parts, std::back_inserter(out));
    if (out.size() > kMostBoxes) return std::nullopt;
  }
  return out;
}

}  // namespace serval
