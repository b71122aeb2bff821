#pragma once
// Re-proves the result of a model from the operations alone, with code that shares nothing with the
// checkers: each finding by its definition, each linearization by replaying it, and non-linearizability
// by a plain search, event by event, without the optimisations of linearization_search.h.

#include <cstdint>
#include <optional>
#include <string>

#include "serval/model/model.h"

namespace serval {

struct ModelProof {
  std::optional<std::string> flaw;  // What is wrong with the result; nothing if it is correct.
  bool complete = true;             // False if a plain search was abandoned after kEffort configurations.
  static constexpr std::uint64_t kEffort = 100'000;
};

// Throws BudgetExhausted. O(n) per finding; see above for parts that are not linearizable.
ModelProof verify_model(Model model, const ClientHistory& history, const ModelOptions& options,
                        const ModelResult& result);

// The part of it for linearizability: every operation that counts is in exactly one part, each part can be
// replayed, and no stuck part can be continued.
ModelProof verify_linearizable(Model model, const ClientHistory& history, const ModelOptions& options,
                               const ModelResult& result);

}  // namespace serval
