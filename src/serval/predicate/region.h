#pragma once
// Which rows a condition can be true of, as boxes: for every column the values that it may have. An index
// looks only there; two conditions whose boxes do not meet never match the same row.
//
//   region_of("a BETWEEN 1 AND 5 OR b = 'x'")       // {a in [1, 5]} and {b in ['x', 'x']}
//   relate("a BETWEEN 1 AND 5", "a = 3")            // Subsumes
//   relate("a % 2 = 0", "a = 3")                    // Overlapping: more than a comparison with a constant
//
// Leopard's predicate regions (journal appendix B); what is too complex there is everything here, and not
// exact; so is what is undefined whatever the row. O(nodes) for ordinary conditions; past kMaxBoxes boxes
// melt into one.

#include <cstdint>
#include <string>
#include <vector>

#include "serval/predicate/condition.h"
#include "serval/predicate/interval_set.h"

namespace serval {

struct Region {
  static constexpr std::size_t kMaxBoxes = 64;
  using Box = std::vector<IntervalSet>;  // One a column; none of them empty.

  std::vector<std::string> columns;  // Those of the condition, in its order.
  std::vector<Box> boxes;            // The region is their union; they may overlap.
  bool exact = true;                 // The condition is true of every row in the region.

  bool empty() const noexcept { return boxes.empty(); }
  // All values that a column has in any box.
  IntervalSet hull(std::size_t column) const;
  bool contains(std::span<const Scalar> row) const;
};

Region region_of(const Condition& condition);

enum class Relation : std::uint8_t {
  Disjoint,     // No row matches both.
  Identical,    // The same rows match.
  Subsumes,     // Every row that matches the second matches the first.
  SubsumedBy,   // The other way round.
  Overlapping,  // None of these, or not known to be.
};
Relation relate(const Region& first, const Region& second);
inline Relation relate(const Condition& first, const Condition& second) {
  return relate(region_of(first), region_of(second));
}

}  // namespace serval
