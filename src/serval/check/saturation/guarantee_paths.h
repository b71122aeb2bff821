#pragma once
// Why a transaction must be visible to another under a session guarantee or pram, as edges to show:
// paths of exactly the shapes that the guarantee covers.

#include <vector>

#include "serval/evidence/dependency.h"
#include "serval/inference/readers.h"
#include "serval/levels/level.h"

namespace serval {

class GuaranteePaths {
 public:
  // `readers` must know the readers of every `seen` that is queried.
  GuaranteePaths(const History& history, const Relations& relations, Level level, Readers& readers)
      : history_(history), relations_(relations), level_(level), readers_(readers) {}

  // The edges that lead from `seen` to `reader`; empty if the guarantee does not relate the two.
  std::vector<Edge> path(TransactionId seen, TransactionId reader);

 private:
  bool in_session(TransactionId before, TransactionId after) const;
  std::vector<Edge> own_write(TransactionId seen, TransactionId reader) const;
  std::vector<Edge> own_read(TransactionId seen, TransactionId reader);
  std::vector<Edge> earlier_write(TransactionId seen, TransactionId reader) const;
  std::vector<Edge> earlier_read(TransactionId seen, TransactionId reader);
  std::vector<Edge> own_read_of_later(TransactionId seen, TransactionId reader) const;
  std::vector<TransactionId> sources(TransactionId reader) const;
  Edge reads_from(TransactionId writer, TransactionId reader) const;

  const History& history_;
  const Relations& relations_;
  Level level_;
  Readers& readers_;
};

}  // namespace serval
