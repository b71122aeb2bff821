#pragma once
// Decides what the clients ask, transaction by transaction. Knows no database and no clock; equal draws of
// the random numbers give equal plans and scripts.
//
//   database.create(generator.schema());
//   const std::unique_ptr<Script> script = generator.next_script(random, session, known);
//
// Threads: one at a time draws from a generator. The script it gives may be played by another thread while
// the next one is drawn: it uses nothing of the generator that changes. The generator outlives its scripts.
//
// Who runs the transactions decides which of them to roll back for the sake of it; a script aborts only where
// its workload says so (TPC-C's unused item).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serval/base/random.h"
#include "serval/workload/final_state.h"
#include "serval/workload/row_plan.h"
#include "serval/workload/schema.h"
#include "serval/workload/script.h"
#include "serval/workload/transaction_plan.h"

namespace serval {

class Generator {
 public:
  virtual ~Generator() = default;

  // The tables that the transactions use, as they are before the first one.
  virtual Schema schema() const = 0;

  // The next transaction of a session (0, 1, 2, ...) as a plan. Requires a workload of plans.
  virtual TransactionPlan next(Random& random, std::uint32_t session);

  // The same over rows and ranges. Requires a workload that plans rows.
  virtual RowPlan next_rows(Random& random, std::uint32_t session);

  // The same as a script. `known` is what this session remembers from one transaction to the next; it must
  // outlive the script. By default the script plays next()'s plan.
  virtual std::unique_ptr<Script> next_script(Random& random, std::uint32_t session, KnownTags& known);

  // What is wrong with the rows of a committed state, a sentence each. None by default. May be called while
  // another thread draws.
  virtual std::vector<std::string> broken_invariants(FinalState& state) const;
};

}  // namespace serval
