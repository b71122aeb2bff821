#include "serval/predicate/evaluate.h"

#include <array>
#include <type_traits>

#include "serval/base/contract.h"

namespace serval {
namespace {

using Kind = Condition::Kind;

Truth holds(Kind comparison, std::strong_ordering order) {
  switch (comparison) {
    case Kind::Equal:
      return truth_of(order == 0);
    case Kind::NotEqual:
      return truth_of(order != 0);
    case Kind::Less:
      return truth_of(order < 0);
    case Kind::LessOrEqual:
      return truth_of(order <= 0);
    case Kind::Greater:
      return truth_of(order > 0);
    default:
      return truth_of(order >= 0);
  }
}

class Evaluator {
 public:
  Evaluator(const Condition& condition, std::span<const Scalar> row)
      : condition_(condition), nodes_(condition.nodes()), constants_(condition.constants()), row_(row) {}

  Truth truth(std::uint32_t index) const {
    const Kind kind = nodes_[index].kind;
    if (is_comparison(kind)) return relation(kind, index + 1, nodes_[index + 1].end);
    switch (kind) {
      case Kind::And:
        return junction(index, Truth::True, both);
      case Kind::Or:
        return junction(index, Truth::False, either);
      case Kind::Not:
        return opposite(truth(index + 1));
      case Kind::IsNull:
        return is_null(index + 1);
      case Kind::In:
        return in(index);
      case Kind::Between:
        return between(index + 1);
      case Kind::Like:
        return like_at(index + 1);
      default:
        return value(index).truth();
    }
  }

  Scalar value(std::uint32_t index) const {
    if (const Scalar* known = peek(index)) return *known;
    const std::uint32_t left = index + 1, right = left < nodes_.size() ? nodes_[left].end : left;
    static constexpr std::array kOfNumbers{add, subtract, multiply, divide, modulo};
    const Kind kind = nodes_[index].kind;
    if (kind >= Kind::Add && kind <= Kind::Modulo)
      return with(left, right,
                  kOfNumbers[static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::Add)]);
    if (kind == Kind::Undefined) return Scalar::undefined();
    if (kind == Kind::Negate) return negate(value(left));
    return kind == Kind::Concatenate ? with(left, right, concatenate) : Scalar::of(truth(index));
  }

 private:
  // The column or constant if the node is one; avoids a copy.
  const Scalar* peek(std::uint32_t index) const {
    const Condition::Node& node = nodes_[index];
    if (node.kind == Kind::Constant) return &constants_[node.at];
    return node.kind == Kind::Column ? &row_[node.at] : nullptr;
  }

  template <class Function>
  std::invoke_result_t<const Function&, const Scalar&, const Scalar&> with(std::uint32_t left,
                                                                           std::uint32_t right,
                                                                           const Function& function) const {
    const Scalar *a = peek(left), *b = peek(right);
    Scalar computed_a, computed_b;
    if (a == nullptr) a = &(computed_a = value(left));
    if (b == nullptr) b = &(computed_b = value(right));
    return function(*a, *b);
  }

  Truth relation(Kind kind, std::uint32_t left, std::uint32_t right) const {
    const Comparison found = with(left, right, compare);
    return found.comparable == Truth::True ? holds(kind, found.order) : found.comparable;
  }

  // AND starts from True, OR from False; the opposite value ends the evaluation.
  template <class Join>
  Truth junction(std::uint32_t index, Truth start, const Join& join) const {
    Truth out = start;
    for (const std::uint32_t child : condition_.operands(index)) {
      out = join(out, truth(child));
      if (out == opposite(start)) return out;
    }
    return out;
  }

  Truth is_null(std::uint32_t operand) const {
    const Scalar found = value(operand);
    return found.is_undefined() ? Truth::Undefined : truth_of(found.is_null());
  }

  Truth in(std::uint32_t index) const {
    const std::uint32_t operand = index + 1;
    Truth out = Truth::False;
    for (std::uint32_t item = nodes_[operand].end; item < nodes_[index].end; item = nodes_[item].end)
      out = either(out, relation(Kind::Equal, operand, item));
    return out;
  }

  Truth between(std::uint32_t operand) const {
    const std::uint32_t low = nodes_[operand].end, high = nodes_[low].end;
    return both(relation(Kind::GreaterOrEqual, operand, low), relation(Kind::LessOrEqual, operand, high));
  }

  Truth like_at(std::uint32_t operand) const {
    const std::uint32_t pattern = nodes_[operand].end;
    const Scalar escape = value(nodes_[pattern].end);
    if (escape.is_null()) return Truth::Unknown;
    if (escape.kind() != Scalar::Kind::Text || !is_escape(escape.as_text())) return Truth::Undefined;
    return with(operand, pattern,
                [&](const Scalar& text, const Scalar& form) { return like(text, form, escape.as_text()); });
  }
  static bool is_escape(std::string_view text) {
    std::size_t characters = 0;
    for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    return characters == 1 || text.empty();
  }

  const Condition& condition_;
  std::span<const Condition::Node> nodes_;
  std::span<const Scalar> constants_;
  std::span<const Scalar> row_;
};

}  // namespace

Truth evaluate(const Condition& condition, std::span<const Scalar> row) {
  expects(row.size() == condition.columns().size(), "a value for every column");
  return Evaluator(condition, row).truth(0);
}

Scalar value_of(const Condition& expression, std::span<const Scalar> row) {
  expects(row.size() == expression.columns().size(), "a value for every column");
  return Evaluator(expression, row).value(0);
}

}  // namespace serval
