#pragma once
// The proof of one bad read: what each kind of anomaly says about a read, for registers and for lists.

#include <string>

#include "serval/verify/facts.h"
#include "serval/verify/violation.h"

namespace serval::verify {

class BadReadProof {
 public:
  BadReadProof(const Facts& facts, const BadRead& claim);
  virtual ~BadReadProof() = default;
  BadReadProof(const BadReadProof&) = delete;
  BadReadProof& operator=(const BadReadProof&) = delete;

  // Requires a claim that cites an operation of the reader.
  Flaw flaw(AnomalyKind kind) const;

 protected:
  virtual Flaw flaw_of_thin_air() const = 0;
  virtual Flaw flaw_of_aborted() const = 0;
  virtual Flaw flaw_of_intermediate() const = 0;
  virtual Flaw flaw_of_future() const = 0;
  virtual Flaw flaw_of_own_writes(AnomalyKind kind) const = 0;
  virtual Flaw flaw_of_repetition() const = 0;
  // Of the other kinds.
  virtual Flaw flaw_of_other(AnomalyKind kind) const = 0;

  std::string spelled(OperationId op) const;
  TransactionId source_transaction() const { return history_.transaction_of(claim_.source); }

  const Facts& facts_;
  const History& history_;
  const BadRead& claim_;
  KeyId key_;
};

}  // namespace serval::verify
