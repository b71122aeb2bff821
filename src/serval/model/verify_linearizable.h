#pragma once
// The half of verify_model that is about linearizability.

#include "serval/model/verify_model.h"

namespace serval {

// Every operation that counts is in exactly one part; each part replays; each part that is stuck cannot be
// continued.
ModelProof verify_linearizable(Model model, const ClientHistory& history, const ModelOptions& options,
                               const ModelResult& result);

}  // namespace serval
