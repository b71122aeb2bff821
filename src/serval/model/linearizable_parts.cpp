#include "serval/model/linearizable_parts.h"

namespace serval {

std::vector<CallSpan> call_spans(const ClientHistory& history, const ObjectPart& part) {
  std::vector<CallSpan> spans;
  spans.reserve(part.operations.size());
  for (const std::uint32_t i : part.operations) {
    const ClientOperation& operation = history.operations()[i];
    history.require_begin(operation);
    spans.push_back({operation.began, operation.lost() ? CallSpan::kNever : operation.ended});
  }
  return spans;
}

void LinearizableParts::report(const ObjectPart& part, const LinearizedPart& out, const std::string& why) {
  findings_.add("not-linearizable", {out.stuck}, {}, [&] {
    const std::string where = part.name.empty() ? "" : fmt::format("key {}: ", part.name);
    return fmt::format("{}{} operations can be ordered, then this one does not fit: {}", where,
                       out.order.size(), why);
  });
}

}  // namespace serval
