#pragma once
// The part of verify_model for linearizability.

#include "serval/model/verify_model.h"

namespace serval {

// Checks that every operation that counts is in exactly one part, that each part can be replayed, and
// that no stuck part can be continued.
ModelProof verify_linearizable(Model model, const ClientHistory& history, const ModelOptions& options,
                               const ModelResult& result);

}  // namespace serval
