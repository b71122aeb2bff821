#pragma once
// What a check may use: engines, budgets, assumptions.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "serval/base/budget.h"
#include "serval/evidence/broken_order.h"
#include "serval/history/ids.h"
#include "serval/inference/version_hints.h"

namespace serval {

enum class Engine { Auto, MiniTransaction, LightweightTransaction, Polygraph, Replay, Certificate };

// The serial order that a replay verifies (inference/expected_order.h).
struct ExpectedOrderChoice {
  // An order that was only suggested proves a level if it passes; otherwise others are tried. A required
  // one is a gate: at the serializable levels, its failure is a violation.
  enum class Role : std::uint8_t { Suggested, Required };

  ExpectedOrderSource source = ExpectedOrderSource::Timestamps;
  std::vector<TransactionId> given = {};
  Role role = Role::Suggested;
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
