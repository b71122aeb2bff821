#pragma once
// Generates the transactions of the clients. Independent of database and clock: equal random numbers give
// equal plans and scripts.
//
//   database.create(generator.schema());
//   const std::unique_ptr<Script> script = generator.next_script(random, session, known);
//
// Threads: only one thread at a time may use a generator. A script may be executed by another thread
// meanwhile, because it uses no mutable state of the generator. The generator must outlive its scripts.
//
// The caller decides which transactions to roll back deliberately. A script aborts only if its workload
// requires it (TPC-C's unused item).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serval/base/contract.h"
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

  // The tables that the transactions use, in their initial state.
  virtual Schema schema() const = 0;

  // The next transaction of a session (0, 1, 2, ...) as a plan. Requires a workload of plans.
  virtual TransactionPlan next(Random&, std::uint32_t /*session*/) {
    broken_contract("the workload has plans", __FILE__, __LINE__);
  }

  // The same over rows and ranges. Requires a workload that plans rows.
  virtual RowPlan next_rows(Random&, std::uint32_t /*session*/) {
    broken_contract("the workload has plans over rows", __FILE__, __LINE__);
  }

  // How many transactions run at a time in the simulated database, if they are plans; 0: one per session.
  virtual std::uint32_t concurrent() const { return 0; }

  // The same as a script. `known` is the session's state between transactions and must outlive the
  // script. By default the script executes the plan of next().
  virtual std::unique_ptr<Script> next_script(Random& random, std::uint32_t session, KnownTags& known) {
    return play(next(random, session), known);
  }

  // Broken invariants of a committed state, one sentence each. None by default. May be called while
  // another thread uses the generator.
  virtual std::vector<std::string> broken_invariants(FinalState&) const { return {}; }
};

}  // namespace serval
