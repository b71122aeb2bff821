#pragma once
// The rows for which a condition can be true, as boxes: for each column, its possible values. An index
// searches only there; two conditions with disjoint boxes never match the same row.
//
//   region_of("a BETWEEN 1 AND 5 OR b = 'x'")       // {a in [1, 5]} and {b in ['x', 'x']}
//   relate("a BETWEEN 1 AND 5", "a = 3")            // Subsumes
//   relate("a % 2 = 0", "a = 3")                    // Overlapping: not just a comparison with a constant
//
// Leopard's predicate regions (journal appendix B). A part that is too complex there, or undefined for
// every row, is here an inexact region that covers everything. O(nodes) for ordinary conditions; more
// than kMaxBoxes boxes are merged into one.

#include <cstdint>
#include <string>
#include <vector>

#include "serval/predicate/condition.h"
#include "serval/predicate/interval_set.h"

namespace serval {

struct Region {
  static constexpr std::size_t kMaxBoxes = 64;
  using Box = std::vector<IntervalSet>;  // One set per column, none empty.

  std::vector<std::string> columns;  // The condition's columns, in its order.
  std::vector<Box> boxes;            // The region is their union; they may overlap.
  bool exact = true;                 // The condition is true for every row in the region.

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
  SubsumedBy,   // The reverse.
  Overlapping,  // None of these, or not known.
};
Relation relate(const Region& first, const Region& second);
inline Relation relate(const Condition& first, const Condition& second) {
  return relate(region_of(first), region_of(second));
}

}  // namespace serval
