#pragma once
// Computes aggregates for databases in this process.
//
//   answer_aggregate({.function = Request::Function::Max, .argument = 0}, answer);
//   answer.result          // The maximum of the first column; none: NULL, no rows.

#include <algorithm>

#include "serval/workload/request.h"

namespace serval {

// Replaces the rows of a scan by the aggregate that it requests.
inline void answer_aggregate(const Request& request, Answer& answer) {
  using Function = Request::Function;
  if (request.function == Function::None) return;
  if (request.function == Function::Count) answer.result = static_cast<std::int64_t>(answer.rows.size());
  for (const Answer::Row& row : answer.rows) {
    const std::int64_t value = request.argument == Request::kKey ? static_cast<std::int64_t>(row.key)
                                                                 : row.columns.at(request.argument);
    if (request.function == Function::Min) answer.result = std::min(answer.result.value_or(value), value);
    if (request.function == Function::Max) answer.result = std::max(answer.result.value_or(value), value);
    if (request.function == Function::Sum) answer.result = answer.result.value_or(0) + value;
  }
  answer.rows.clear();
}

}  // namespace serval
