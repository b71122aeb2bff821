#pragma once
// Changes of a history under which its verdicts stay the same, or can only improve. The name of each
// change is its claim.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "metamorphic/spelling.h"

namespace serval::metamorphic {

struct Change {
  enum class Claim : std::uint8_t {
    Same,     // The same executions explain both: no level holds in one and is violated in the other.
    Weakens,  // What explains the history also explains the changed one: what held is not violated now.
  };
  std::string name;
  Claim claim;
  // Returns nullopt if it does not apply.
  std::function<std::optional<History>(const Draft& draft, Random& random)> apply;
};

std::span<const Change> all_changes();

}  // namespace serval::metamorphic
