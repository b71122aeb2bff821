#pragma once
// The transactions of Jepsen's register histories: [[:r 0 nil] [:w 1 5]], [[:read :x 1] [:write :y 2]].

#include <vector>

#include "serval/model/client_history.h"

namespace serval {

struct MicroOperation {
  enum class Kind : std::uint8_t { Read, Write };
  Kind kind = Kind::Read;
  Value key;
  Value value;  // Nil in a read that has not returned.
};

// The steps in `term`, a value of `operation`. Throws InputError.
std::vector<MicroOperation> micro_operations(const ClientHistory& history, const ClientOperation& operation,
                                             const FormValue& term);

}  // namespace serval
