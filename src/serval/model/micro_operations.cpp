#include "serval/model/micro_operations.h"

namespace serval {
namespace {

constexpr const char* kExpected = "expected a transaction of reads and writes, [[:r 0 nil] [:w 1 5]]";

MicroOperation micro_operation(const ClientHistory& history, const ClientOperation& operation,
                               const FormValue& term) {
  if (!is_list(term) || term.parts.size() < 2 || term.parts.size() > 3)
    throw history.error(operation, kExpected);
  const std::string_view name = history.text_in(term.parts[0]).value_or("");
  const bool reads = name == "r" || name == "read", writes = name == "w" || name == "write";
  if (!reads && !writes) throw history.error(operation, kExpected);
  MicroOperation out{
      reads ? MicroOperation::Kind::Read : MicroOperation::Kind::Write, history.value(term.parts[1]), {}};
  if (term.parts.size() == 3) out.value = history.value(term.parts[2]);
  return out;
}

}  // namespace

std::vector<MicroOperation> micro_operations(const ClientHistory& history, const ClientOperation& operation,
                                             const FormValue& term) {
  if (!is_list(term)) throw history.error(operation, kExpected);
  std::vector<MicroOperation> steps;
  steps.reserve(term.parts.size());
  for (const FormValue& part : term.parts) steps.push_back(micro_operation(history, operation, part));
  return steps;
}

}  // namespace serval
