#include "serval/predicate/region.h"

#include <algorithm>
#include <utility>

namespace serval {
namespace {

using Kind = Condition::Kind;
using Box = Region::Box;

// A union of boxes, and whether it is exactly the set it represents.
struct Boxes {
  std::vector<Box> list;
  bool exact = true;
};

bool is_empty(const Box& box) { return std::ranges::any_of(box, &IntervalSet::empty); }

// Replaces them by one enclosing box.
void melt(Boxes& boxes) {
  Box hull = boxes.list.front();
  for (const Box& box : boxes.list)
    for (std::size_t i = 0; i < hull.size(); ++i) hull[i] = hull[i] | box[i];
  boxes = {{std::move(hull)}, false};
}

Boxes unite(Boxes a, const Boxes& b) {
  for (const Box& box : b.list)
    if (std::ranges::find(a.list, box) == a.list.end()) a.list.push_back(box);
  a.exact = a.exact && b.exact;
  if (a.list.size() > Region::kMaxBoxes) melt(a);
  return a;
}

Boxes intersect(const Boxes& a, const Boxes& b) {
  Boxes out{{}, a.exact && b.exact};
  for (const Box& left : a.list) {
    for (const Box& right : b.list) {
      Box both;
      both.reserve(left.size());
      for (std::size_t i = 0; i < left.size(); ++i) both.push_back(left[i] & right[i]);
      if (!is_empty(both)) out.list.push_back(std::move(both));
    }
  }
  if (out.list.empty()) out.exact = true;  // A subset of nothing is nothing.
  if (out.list.size() > Region::kMaxBoxes) melt(out);
  return out;
}

// The rows for which a condition is true, or false. For the others it is unknown or undefined.
enum class Half : std::uint8_t { True, False };
Half other(Half half) { return half == Half::True ? Half::False : Half::True; }

class Analysis {
 public:
  explicit Analysis(const Condition& condition) : condition_(condition), nodes_(condition.nodes()) {}

  Boxes boxes(std::uint32_t index, Half half) const {
    const Kind kind = nodes_[index].kind;
    if (is_comparison(kind)) return comparison(kind, index + 1, nodes_[index + 1].end, half);
    switch (kind) {
      case Kind::And:
      case Kind::Or:
        return junction(index, half);
      case Kind::Not:
        return boxes(index + 1, other(half));
      case Kind::Between:
        return between(index + 1, half);
      case Kind::In:
        return in(index, half);
      case Kind::IsNull:
        return null_test(index + 1, half);
      case Kind::Like:
        return like(index + 1, half);
      case Kind::Constant:
        return constant(condition_.constants()[nodes_[index].at], half);
      case Kind::Column:
        return only(index, IntervalSet::just(Scalar::boolean(half == Half::True)));
      default:
        return anything();
    }
  }

 private:
  Boxes nothing() const { return {}; }
  Boxes everything() const {
    Boxes out;
    out.list.emplace_back(condition_.columns().size(), IntervalSet::everything());
    return out;
  }
  Boxes anything() const {
    Boxes out = everything();
    out.exact = false;
    return out;
  }

  // Rows whose column at this node is in the set.
  Boxes only(std::uint32_t column, IntervalSet set) const {
    if (set.empty()) return nothing();
    Boxes out = everything();
    out.list.front()[nodes_[column].at] = std::move(set);
    return out;
  }

  // AND is true where all operands are, and false where one of them is; OR the reverse.
  Boxes junction(std::uint32_t index, Half half) const {
    const bool all = (nodes_[index].kind == Kind::And) == (half == Half::True);
    Boxes out = all ? everything() : nothing();
    for (const std::uint32_t child : condition_.operands(index))
      out = all ? intersect(out, boxes(child, half)) : unite(std::move(out), boxes(child, half));
    return out;
  }

  Boxes constant(const Scalar& value, Half half) const {
    if (value.truth() == Truth::Undefined) return anything();
    return value.truth() == (half == Half::True ? Truth::True : Truth::False) ? everything() : nothing();
  }

  bool is_column(std::uint32_t index) const { return nodes_[index].kind == Kind::Column; }
  const Scalar* constant_at(std::uint32_t index) const {
    return nodes_[index].kind == Kind::Constant ? &condition_.constants()[nodes_[index].at] : nullptr;
  }

  static Kind mirrored(Kind kind) {
    switch (kind) {
      case Kind::Less:
        return Kind::Greater;
      case Kind::LessOrEqual:
        return Kind::GreaterOrEqual;
      case Kind::Greater:
        return Kind::Less;
      case Kind::GreaterOrEqual:
        return Kind::LessOrEqual;
      default:
        return kind;
    }
  }

  static IntervalSet values_with(Kind kind, const Scalar& value) {
    switch (kind) {
      case Kind::Equal:
        return IntervalSet::just(value);
      case Kind::NotEqual:
        return IntervalSet::comparable_with(value) & ~IntervalSet::just(value);
      case Kind::Less:
        return IntervalSet::below(value);
      case Kind::LessOrEqual:
        return IntervalSet::up_to(value);
      case Kind::Greater:
        return IntervalSet::above(value);
      default:
        return IntervalSet::from(value);
    }
  }

  Boxes comparison(Kind kind, std::uint32_t left, std::uint32_t right, Half half) const {
    if (constant_at(left) != nullptr && is_column(right))
      return comparison(mirrored(kind), right, left, half);
    const Scalar* value = constant_at(right);
    if (value != nullptr && value->is_null()) return nothing();
    if (value != nullptr && value->is_undefined()) return anything();
    if (!is_column(left) || value == nullptr) return anything();
    if (half == Half::True) return only(left, values_with(kind, *value));
    return only(left, IntervalSet::comparable_with(*value) & ~values_with(kind, *value));
  }

  Boxes between(std::uint32_t operand, Half half) const {
    const std::uint32_t low = nodes_[operand].end, high = nodes_[low].end;
    const Boxes above = comparison(Kind::GreaterOrEqual, operand, low, half);
    const Boxes below = comparison(Kind::LessOrEqual, operand, high, half);
    return half == Half::True ? intersect(above, below) : unite(above, below);
  }

  // The items of an IN list are one set; as separate boxes, a long list would be merged.
  Boxes in(std::uint32_t index, Half half) const {
    const std::uint32_t operand = index + 1;
    if (!is_column(operand)) return anything();
    IntervalSet truth, falsehood = IntervalSet::everything();
    for (std::uint32_t item = nodes_[operand].end; item < nodes_[index].end; item = nodes_[item].end) {
      const Scalar* value = constant_at(item);
      if (value == nullptr) return anything();
      if (value->is_undefined()) return anything();
      const bool known = !value->is_null();
      if (known) truth = truth | IntervalSet::just(*value);
      falsehood = falsehood & (known ? values_with(Kind::NotEqual, *value) : IntervalSet::nothing());
    }
    return only(operand, half == Half::True ? truth : falsehood);
  }

  Boxes null_test(std::uint32_t operand, Half half) const {
    if (!is_column(operand)) return anything();
    return only(operand, half == Half::True ? IntervalSet::null() : ~IntervalSet::null());
  }

  // Text that starts with the pattern's prefix, up to its first wildcard.
  Boxes like(std::uint32_t operand, Half half) const {
    const std::uint32_t pattern_at = nodes_[operand].end;
    const Scalar *pattern = constant_at(pattern_at), *escape = constant_at(nodes_[pattern_at].end);
    const bool plain = pattern != nullptr && escape != nullptr && pattern->kind() == Scalar::Kind::Text &&
                       escape->kind() == Scalar::Kind::Text;
    if (!is_column(operand) || !plain) return anything();
    if (serval::like(Scalar(""), *pattern, escape->as_text()) == Truth::Undefined) return anything();
    const Prefix prefix = prefix_of(pattern->as_text(), escape->as_text());
    const IntervalSet text = IntervalSet::comparable_with(Scalar(""));
    const IntervalSet truth =
        prefix.rest.empty() ? IntervalSet::just(Scalar(prefix.text)) : starting_with(prefix.text);
    const bool exact = prefix.rest.empty() || prefix.rest == "%";
    const IntervalSet falsehood = exact ? text & ~truth : text;
    Boxes out = only(operand, half == Half::True ? truth : falsehood);
    out.exact = exact;
    return out;
  }

  struct Prefix {
    std::string text;
    std::string_view rest;  // From the first wildcard on.
  };
  static Prefix prefix_of(std::string_view pattern, std::string_view escape) {
    Prefix out;
    while (!pattern.empty()) {
      const bool escaped = !escape.empty() && pattern.starts_with(escape);
      if (escaped) pattern.remove_prefix(escape.size());
      if (!escaped && (pattern.front() == '%' || pattern.front() == '_')) break;
      out.text += pattern.front();
      pattern.remove_prefix(1);
    }
    out.rest = pattern;
    return out;
  }
  static IntervalSet starting_with(const std::string& prefix) {
    std::string next = prefix;
    while (!next.empty() && next.back() == '\xff') next.pop_back();
    if (next.empty()) return IntervalSet::from(Scalar(prefix));
    next.back() = static_cast<char>(static_cast<unsigned char>(next.back()) + 1);
    return IntervalSet::from(Scalar(prefix)) & IntervalSet::below(Scalar(next));
  }

  const Condition& condition_;
  std::span<const Condition::Node> nodes_;
};

// The same boxes over more columns.
std::vector<Box> widened(const Region& region, const std::vector<std::string>& columns) {
  std::vector<Box> out;
  for (const Box& box : region.boxes) {
    Box wide(columns.size(), IntervalSet::everything());
    for (std::size_t i = 0; i < box.size(); ++i)
      wide[static_cast<std::size_t>(std::ranges::find(columns, region.columns[i]) - columns.begin())] =
          box[i];
    out.push_back(std::move(wide));
  }
  return out;
}

// Whether the box lies within the union of the others, as far as a bounded search can determine.
bool is_covered(const Box& box, const std::vector<Box>& by) {
  constexpr std::size_t kMaxPieces = 4096;
  std::vector<Box> left{box};
  for (const Box& cover : by) {
    std::vector<Box> outside;
    for (Box& piece : left) {
      for (std::size_t i = 0; i < piece.size(); ++i) {
        Box beyond = piece;
        beyond[i] = piece[i] & ~cover[i];
        if (!is_empty(beyond)) outside.push_back(std::move(beyond));
        piece[i] = piece[i] & cover[i];
        if (piece[i].empty()) break;
      }
    }
    left = std::move(outside);
    if (left.size() > kMaxPieces) return false;
  }
  return left.empty();
}

bool are_covered(const std::vector<Box>& boxes, const std::vector<Box>& by) {
  return std::ranges::all_of(boxes, [&](const Box& box) { return is_covered(box, by); });
}

}  // namespace

IntervalSet Region::hull(std::size_t column) const {
  IntervalSet out;
  for (const Box& box : boxes) out = out | box[column];
  return out;
}

bool Region::contains(std::span<const Scalar> row) const {
  return std::ranges::any_of(boxes, [&](const Box& box) {
    for (std::size_t i = 0; i < box.size(); ++i)
      if (!box[i].is_everything() && !box[i].contains(row[i])) return false;
    return true;
  });
}

Region region_of(const Condition& condition) {
  Boxes truth = Analysis(condition).boxes(0, Half::True);
  return {{condition.columns().begin(), condition.columns().end()}, std::move(truth.list), truth.exact};
}

Relation relate(const Region& first, const Region& second) {
  std::vector<std::string> columns = first.columns;
  for (const std::string& name : second.columns)
    if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  const Boxes a{widened(first, columns), first.exact}, b{widened(second, columns), second.exact};
  if (intersect(a, b).list.empty()) return Relation::Disjoint;
  const bool subsumes = first.exact && are_covered(b.list, a.list);
  const bool subsumed = second.exact && are_covered(a.list, b.list);
  if (subsumes && subsumed) return Relation::Identical;
  if (subsumes) return Relation::Subsumes;
  return subsumed ? Relation::SubsumedBy : Relation::Overlapping;
}

}  // namespace serval
