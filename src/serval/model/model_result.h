#pragma once
// The answer of a model, with what proves it. Operations are positions in ClientHistory::operations();
// verify_model.h re-proves every answer from those alone.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/history/value.h"

namespace serval {

enum class ModelVerdict : std::uint8_t { Valid, Violation, Unknown };

// One thing that the model forbids. `operations` are the ones that show it, in the order that the model's
// page in docs/models.md gives; `subject` is the account, element or key it is about, nil where there is
// none.
struct Finding {
  std::string_view kind;
  std::vector<std::uint32_t> operations;
  Value subject;
  std::string words;
};

// The operations of one independent part (a key) in an order that one client at a time could have seen. Where
// the part is not linearizable, the longest such beginning: every operation that ended before `stuck` did.
struct LinearizedPart {
  std::string name;  // Of the key; empty when there is one part.
  std::vector<std::uint32_t> order;
  std::uint32_t stuck = 0xFFFFFFFFu;  // The operation that cannot be placed; none in a linearizable part.
};

struct ModelResult {
  ModelVerdict verdict = ModelVerdict::Valid;
  std::string reason;                                           // Unknown: why, in one sentence.
  std::vector<Finding> findings;                                // At most ModelOptions::max_findings.
  std::map<std::string_view, std::uint64_t> counts;             // Of findings, by kind.
  std::vector<std::pair<std::string_view, std::string>> facts;  // "total" "100": what else was learnt.
  std::vector<LinearizedPart> parts;                            // Linearizable models only.
};

}  // namespace serval
