#pragma once
// What a check may use: engines, budgets, assumptions.

#include <cstddef>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/ids.h"
#include "serval/inference/version_hints.h"

namespace serval {

enum class Engine { Auto, MiniTransaction, LightweightTransaction, Polygraph, Replay, Certificate };

// The serial order that a replay verifies (replay/expected_order.h).
enum class ExpectedOrderSource { Timestamps, Completion, Given };
struct ExpectedOrderChoice {
  ExpectedOrderSource source = ExpectedOrderSource::Timestamps;
  std::vector<TransactionId> given = {};
};

struct CheckOptions {
  std::size_t max_anomalies = 10;  // Limits the anomalies that are kept, not those counted.
  Engine engine = Engine::Auto;    // An engine that does not apply gives Undecided.
  Budget* budget = nullptr;
  // Assumptions about the database. A violation under an assumption only concerns databases that satisfy
  // it.
  VersionHints hints = {};
  ExpectedOrderChoice expected_order = {};
  bool use_certificate = true;  // False: check the reads alone, ignoring any version certificate.
};

}  // namespace serval
