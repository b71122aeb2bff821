#pragma once
// Re-proves what a model said, from the operations alone, with code that shares nothing with the checkers:
// each finding by its definition, each linearization by replaying it, and that a part is not linearizable by
// a plain search, event by event, without any of the shortcuts of linearization_search.h.

#include <cstdint>
#include <optional>
#include <string>

#include "serval/model/model.h"

namespace serval {

struct ModelProof {
  std::optional<std::string> flaw;  // What is wrong with the result; nothing when it stands.
  bool complete = true;             // False when a plain search was given up after kEffort configurations.
  static constexpr std::uint64_t kEffort = 100'000;
};

// Throws BudgetExhausted. O(n) a finding; see above for parts that are not linearizable.
ModelProof verify_model(Model model, const ClientHistory& history, const ModelOptions& options,
                        const ModelResult& result);

}  // namespace serval
