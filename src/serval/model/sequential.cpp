// One client writes the parts of a key in order; another reads them in the opposite order. Once it has
// seen a part, it must see every earlier one: process order, which sequential consistency preserves. A
// read is [key [last … first]], with nil for a part that is missing. After the sequential workload of
// Jepsen's CockroachDB tests.

#include <algorithm>

#include <fmt/format.h>

#include "serval/model/checkers.h"
#include "serval/model/findings.h"

namespace serval {
namespace {

// The parts that a read returned, last part first.
std::span<const FormValue> parts_read(const ClientHistory& history, const ClientOperation& read) {
  const FormValue& term = *read.result;
  if (!is_list(term) || term.parts.size() != 2 || !is_list(term.parts[1]))
    throw history.error(read, "expected a key and its parts, the last one first: [5 [\"5_1\" nil]]");
  return term.parts[1].parts;
}

}  // namespace

ModelResult check_sequential(const ClientHistory& history, const ModelOptions& options) {
  Findings findings(options);
  std::uint64_t reads = 0, whole = 0, empty = 0;
  for (std::uint32_t i = 0; i < history.operations().size(); ++i) {
    const ClientOperation& operation = history.operations()[i];
    if (!operation.ok() || history.function(operation) != "read") continue;
    ++reads;
    const std::span<const FormValue> parts = parts_read(history, operation);
    const auto seen = std::ranges::find_if_not(parts, &FormValue::is_nil);
    const auto gap = std::ranges::find_if(seen, parts.end(), &FormValue::is_nil);
    whole += seen == parts.begin() && gap == parts.end() ? 1 : 0;
    empty += seen == parts.end() ? 1 : 0;
    if (gap != parts.end())
      findings.add("missing-predecessor", {i}, history.value(operation.result->parts[0]), [&] {
        return fmt::format("shows {}, but not the part written before it", history.format(*(gap - 1)));
      });
  }
  findings.fact("reads", reads);
  findings.fact("whole", whole);
  findings.fact("empty", empty);
  return std::move(findings).finish(reads == 0 ? "no read succeeded, so there is nothing to judge" : "");
}

}  // namespace serval
