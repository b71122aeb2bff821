#include "serval/predicate/definedness.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "serval/base/contract.h"

namespace serval {
namespace {

using Kind = Condition::Kind;

constexpr ScalarKinds kinds_of(std::initializer_list<Scalar::Kind> kinds) {
  ScalarKinds out;
  for (const Scalar::Kind kind : kinds) out.add(kind);
  return out;
}

constexpr ScalarKinds kIntegers = kinds_of({Scalar::Kind::Integer});
constexpr ScalarKinds kBooleans = kinds_of({Scalar::Kind::Boolean});
// Values of one family compare with each other.
constexpr std::array kFamilies{kinds_of({Scalar::Kind::Integer, Scalar::Kind::Decimal}),
                               kinds_of({Scalar::Kind::Text}), kBooleans};

class Definedness {
 public:
  Definedness(const Condition& condition, std::span<const ScalarKinds> columns)
      : condition_(condition), nodes_(condition.nodes()), columns_(columns) {}

  bool is_truth(std::uint32_t node) const {
    const Kind kind = nodes_[node].kind;
    if (is_comparison(kind)) return compares_one_family(node);
    switch (kind) {
      case Kind::Constant:
        return kinds_at(node).is_within(kBooleans);
      case Kind::And:
      case Kind::Or:
      case Kind::Not:
        for (const std::uint32_t child : condition_.operands(node))
          if (!is_truth(child)) return false;
        return true;
      case Kind::In:
      case Kind::Between:
      case Kind::IsNull:
        return compares_one_family(node);
      default:
        return false;
    }
  }

 private:
  bool compares_one_family(std::uint32_t node) const {
    ScalarKinds kinds;
    for (const std::uint32_t child : condition_.operands(node)) {
      const Kind kind = nodes_[child].kind;
      if (kind != Kind::Constant && kind != Kind::Column && !is_remainder(child)) return false;
      kinds.add(kinds_at(child));
    }
    return std::ranges::any_of(kFamilies, [&](ScalarKinds family) { return kinds.is_within(family); });
  }
  // A remainder of an integer column by a positive constant.
  bool is_remainder(std::uint32_t node) const {
    if (nodes_[node].kind != Kind::Modulo) return false;
    const std::uint32_t number = node + 1, by = nodes_[number].end;
    return nodes_[number].kind == Kind::Column && kinds_at(number) == kIntegers &&
           nodes_[by].kind == Kind::Constant && kinds_at(by) == kIntegers &&
           condition_.constants()[nodes_[by].at].as_integer() > 0;
  }

  // Of a constant, a column or a remainder.
  ScalarKinds kinds_at(std::uint32_t node) const {
    if (nodes_[node].kind == Kind::Column) return columns_[nodes_[node].at];
    if (nodes_[node].kind == Kind::Modulo) return kIntegers;
    return kinds_of({condition_.constants()[nodes_[node].at].kind()});
  }

  const Condition& condition_;
  std::span<const Condition::Node> nodes_;
  std::span<const ScalarKinds> columns_;
};

}  // namespace

bool is_defined_everywhere(const Condition& condition, std::span<const ScalarKinds> kinds) {
  expects(kinds.size() == condition.columns().size(), "kinds for every column");
  return condition.problem().empty() && Definedness(condition, kinds).is_truth(0);
}

}  // namespace serval
