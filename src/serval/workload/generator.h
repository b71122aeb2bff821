#pragma once
// Decides what the clients ask, transaction by transaction. Knows no database and no clock; equal draws of
// the random numbers give equal plans.

#include <cstdint>

#include "serval/base/random.h"
#include "serval/workload/transaction_plan.h"

namespace serval {

class Generator {
 public:
  virtual ~Generator() = default;
  // The next transaction of a session (0, 1, 2, ...).
  virtual TransactionPlan next(Random& random, std::uint32_t session) = 0;
};

}  // namespace serval
