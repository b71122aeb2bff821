#pragma once
// Every external read of a history with the final write it certainly saw, directly from the raw history:
// the starting point for the proofs of the weak levels.
//
//   certain     one live transaction has the value as its final write, or none has and it is the initial one
//   unexplained no transaction could have supplied the value
//   open        several could
//
// Linear in the operations.

#include <cstdint>
#include <vector>

#include "serval/verify/facts.h"

namespace serval::verify {

struct SeenWrite {
  OperationId read;
  KeyId key;
  OperationId write;     // The final write that was seen; none() for the initial version.
  TransactionId writer;  // none() for the initial version.
};

class CertainReads {
 public:
  explicit CertainReads(const Facts& facts);

  // The certain external reads of `t`, in program order.
  std::span<const SeenWrite> of(TransactionId t) const {
    return std::span(seen_).subspan(first_[t.index], first_[t.index + 1] - first_[t.index]);
  }
  // The first read, if any, that saw no final write or contradicts the transaction's own writes.
  OperationId first_unexplained() const { return unexplained_; }
  OperationId first_open() const { return open_; }

 private:
  void look_at(const Facts& facts, OperationId op);

  std::vector<std::uint32_t> first_{0};
  std::vector<SeenWrite> seen_;
  OperationId unexplained_ = OperationId::none();
  OperationId open_ = OperationId::none();
};

}  // namespace serval::verify
