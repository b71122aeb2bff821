#pragma once
// Sentences about an expected order that fails.
//
//   OrderWords words(history, names);
//   words.claim(broken)    // "T3: r(y,0)"
//   words.why(broken)      // "T3 is 3 of 3 in the order; by then y = 2, which T2 wrote (2 of 3)"

#include <string>

#include "serval/evidence/verdict.h"
#include "serval/report/certified_words.h"
#include "serval/report/names.h"

namespace serval {

class OrderWords {
 public:
  // Both must outlive this object.
  OrderWords(const History& history, const TransactionNames& names) : history_(history), names_(names) {}

  std::string claim(const BrokenOrder& broken) const;
  std::string why(const BrokenOrder& broken) const;
  std::string conclusion(AnomalyKind kind, const BrokenOrder& broken) const;

 private:
  std::string place(const BrokenOrder& broken, TransactionId t) const;
  std::string state(const BrokenOrder& broken) const;
  std::string overlap(const BrokenOrder& broken) const;

  const History& history_;
  const TransactionNames& names_;
  CertifiedWords words_{history_, names_};
};

}  // namespace serval
