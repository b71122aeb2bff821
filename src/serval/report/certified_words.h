#pragma once
// Sentences about predicates, and about evidence from a version certificate: dependencies of predicates
// and items, and rows that do not fit.
//
//   CertifiedWords words(history, names);
//   words.why(edge)       // "T1 asked p{...} before T2 wrote x = 4, which changed what it matches"

#include <string>

#include "serval/evidence/verdict.h"
#include "serval/report/names.h"

namespace serval {

class CertifiedWords {
 public:
  // Both must outlive this object.
  CertifiedWords(const History& history, const TransactionNames& names) : history_(history), names_(names) {}

  std::string why(const Edge& edge) const;
  std::string why(AnomalyKind kind, const BadRow& bad) const;
  // "T3 asked for the rows of one predicate twice: first p{x=1}, then p{x=1 y=2}"
  std::string changed_answer(const BadRead& bad) const;
  // The operation in the history notation. Of many rows it shows the one of `key` and a few others.
  std::string asked(OperationId op, KeyId key) const;
  std::string holds(OperationId write, KeyId key) const;  // The value of the key after `write`.

 private:
  std::string name(TransactionId t) const { return names_(t); }
  std::string name(OperationId op) const { return names_(history_.transaction_of(op)); }
  std::string did(OperationId write, KeyId key) const;

  const History& history_;
  const TransactionNames& names_;
};

}  // namespace serval
