#pragma once
// The result of a model with its evidence. Operations are positions in ClientHistory::operations();
// verify_model.h re-proves every result from those alone.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/history/value.h"

namespace serval {

enum class ModelVerdict : std::uint8_t { Valid, Violation, Unknown };

// One violation of the model's rule. `operations` are the ones that show it, in the order given on the
// model's page in docs/models.md; `subject` is the account, element or key concerned, otherwise nil.
struct Finding {
  std::string_view kind;
  std::vector<std::uint32_t> operations;
  Value subject;
  std::string words;
};

// The operations of one independent part (a key) in an order that is possible with one client at a time.
// If the part is not linearizable, the longest such prefix: every operation that ended before `stuck`
// did.
struct LinearizedPart {
  std::string name;  // Of the key; empty if there is only one part.
  std::vector<std::uint32_t> order;
  std::uint32_t stuck = 0xFFFFFFFFu;  // The operation that cannot be placed; none in a linearizable part.
};

struct ModelResult {
  ModelVerdict verdict = ModelVerdict::Valid;
  std::string reason;                                           // Unknown: why, in one sentence.
  std::vector<Finding> findings;                                // At most ModelOptions::max_findings.
  std::map<std::string_view, std::uint64_t> counts;             // Number of findings by kind.
  std::vector<std::pair<std::string_view, std::string>> facts;  // "total" "100": other facts learned.
  std::vector<LinearizedPart> parts;                            // Linearizable models only.
};

}  // namespace serval
