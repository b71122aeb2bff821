#pragma once
// A register with compare-and-set, as an object for LinearizationSearch. The state is the bits of its
// value.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serval/history/value.h"
#include "serval/model/linearization_search.h"

namespace serval {

struct RegisterOperation {
  enum class Kind : std::uint8_t {
    Read,           // Saw `value`.
    Write,          // Of `value`.
    CompareAndSet,  // From `expected` to `value`.
    Mismatch,       // A compare-and-set that failed because the register did not hold `expected`.
  };
  Kind kind = Kind::Read;
  Value expected;
  Value value;
};

class RegisterObject {
 public:
  RegisterObject(Value initial, std::span<const RegisterOperation> operations);

  std::uint64_t initial() const { return initial_.bits(); }
  std::optional<std::uint64_t> apply(std::uint64_t state, std::uint32_t operation) const {
    const RegisterOperation& one = operations_[operation];
    switch (one.kind) {
      case RegisterOperation::Kind::Read:
        return one.value.bits() == state ? std::optional(state) : std::nullopt;
      case RegisterOperation::Kind::Write:
        return one.value.bits();
      case RegisterOperation::Kind::CompareAndSet:
        return one.expected.bits() == state ? std::optional(one.value.bits()) : std::nullopt;
      default:
        return one.expected.bits() != state ? std::optional(state) : std::nullopt;
    }
  }
  bool observes_only(std::uint32_t operation) const {
    const RegisterOperation::Kind kind = operations_[operation].kind;
    return kind == RegisterOperation::Kind::Read || kind == RegisterOperation::Kind::Mismatch;
  }
  bool hides(std::uint32_t later, std::uint32_t) const {
    return operations_[later].kind == RegisterOperation::Kind::Write;
  }
  bool supplies(std::uint32_t operation, std::uint32_t needy) const {
    const RegisterOperation& one = operations_[needy];
    const bool reads = one.kind == RegisterOperation::Kind::Read;
    return operations_[operation].value == (reads ? one.value : one.expected);
  }
  std::uint32_t kind_of(std::uint32_t operation) const { return kinds_[operation]; }

 private:
  Value initial_;
  std::span<const RegisterOperation> operations_;
  std::vector<std::uint32_t> kinds_;
};

// Which lost operations could ever be visible: one that leaves a value which nobody reads or compares
// with can be omitted from every order. keep[i] is false for those. O(n) per round; as many rounds as
// lost operations depend on each other.
std::vector<bool> lost_operations_worth_keeping(std::span<const RegisterOperation> operations,
                                                std::span<const CallSpan> spans);

}  // namespace serval
