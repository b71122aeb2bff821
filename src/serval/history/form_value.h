#pragma once
// One form of EDN or JSON as a tree, for values whose meaning only a workload model knows:
//
//   {:from 1 :to 0 :amount 5}     a Map with the parts :from 1 :to 0 :amount 5
//   #{1 2}  [[:r x nil]]          a Set, a Sequence
//
// Plain data. Trees are at most kMaxFormDepth deep, so recursive functions do not overflow the stack.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "serval/history/value.h"

namespace serval {

enum class FormShape : std::uint8_t { Scalar, Sequence, Map, Set };

inline constexpr int kMaxFormDepth = 200;

struct FormValue {
  FormShape shape = FormShape::Scalar;
  Value scalar;                  // Nil unless the shape is Scalar.
  std::vector<FormValue> parts;  // Elements of a Sequence or Set; key, value, key, value, ... of a Map.

  bool is_nil() const noexcept { return shape == FormShape::Scalar && scalar.is_nil(); }
  bool is_scalar() const noexcept { return shape == FormShape::Scalar; }
  bool is_integer() const noexcept { return shape == FormShape::Scalar && scalar.is_integer(); }
  // For a Map: the value at `key`, or null. O(parts).
  const FormValue* find(Value key) const {
    if (shape != FormShape::Map) return nullptr;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
      if (parts[i].is_scalar() && parts[i].scalar == key) return &parts[i + 1];
    return nullptr;
  }
  friend bool operator==(const FormValue&, const FormValue&) = default;
};

}  // namespace serval
