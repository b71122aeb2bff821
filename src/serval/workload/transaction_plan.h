#pragma once
// The requests of a transaction that do not depend on responses. Values to write are chosen at execution,
// so that each is unique in its history.
//
//   TransactionPlan{.operations = {{PlannedOperation::Kind::Read, 7}, {PlannedOperation::Kind::Write, 7}}}

#include <algorithm>
#include <cstdint>
#include <vector>

namespace serval {

struct PlannedOperation {
  enum class Kind : std::uint8_t {
    Read,
    Write,
    ReadModifyWrite,  // One statement that reads and writes the key; recorded as a read and a write.
    Append,
    ReadList,
    CompareAndSet,  // Expects the value that the client knew when the transaction began.
    Insert,         // If the key is absent.
  };

  Kind kind = Kind::Read;
  std::uint64_t key = 0;
  friend bool operator==(const PlannedOperation&, const PlannedOperation&) = default;
};

constexpr bool only_reads(PlannedOperation::Kind kind) {
  return kind == PlannedOperation::Kind::Read || kind == PlannedOperation::Kind::ReadList;
}

struct TransactionPlan {
  std::vector<PlannedOperation> operations;
  bool abort = false;  // Roll back instead of committing.

  bool only_reads() const {
    return std::ranges::all_of(operations, [](const auto& op) { return serval::only_reads(op.kind); });
  }
  friend bool operator==(const TransactionPlan&, const TransactionPlan&) = default;
};

}  // namespace serval
