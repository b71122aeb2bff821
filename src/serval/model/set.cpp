// Elements are added to a set; the last read must show every element whose addition had succeeded before
// the read began, and only elements that were added. After Jepsen's set checker.

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/model/checkers.h"
#include "serval/model/findings.h"
#include "serval/model/set_elements.h"

namespace serval {
namespace {

class FinalRead {
 public:
  FinalRead(const ClientHistory& history, const ModelOptions& options)
      : history_(history), findings_(options), elements_(history) {}

  ModelResult check() && {
    find_last_read();
    findings_.fact("elements", elements_.all().size());
    if (last_ == ClientOperation::kNever)
      return std::move(findings_).finish("the set was never read, so there is nothing to judge");
    const absl::flat_hash_set<Value> seen = seen_elements();
    findings_.fact("seen", seen.size());
    for (const SetElement& element : elements_.all()) judge(element, seen.contains(element.value));
    return std::move(findings_).finish({});
  }

 private:
  void find_last_read() {
    const std::vector<ClientOperation>& operations = history_.operations();
    for (std::uint32_t i = 0; i < operations.size(); ++i)
      if (operations[i].ok() && history_.function(operations[i]) == "read" &&
          (last_ == ClientOperation::kNever || operations[last_].ended < operations[i].ended))
        last_ = i;
  }

  absl::flat_hash_set<Value> seen_elements() {
    absl::flat_hash_set<Value> seen;
    for (const FormValue& part : read_elements(history_, history_.operations()[last_])) {
      const Value element = history_.value(part);
      if (seen.insert(element).second && elements_.find(element) == nullptr)
        findings_.add("unexpected", {last_}, element,
                      [&] { return fmt::format("{} was read, but never added", history_.format(element)); });
    }
    return seen;
  }

  // An addition that ended after the read had begun may come after it.
  void judge(const SetElement& element, bool seen) {
    const std::uint32_t began = history_.operations()[last_].began;
    if (!seen && element.added_at < began)
      findings_.add("lost", {element.add, last_}, element.value, [&] {
        return fmt::format("{} was added, but not read", history_.format(element.value));
      });
    if (seen && element.only_failed)
      findings_.add("failed-add", {element.add, last_}, element.value, [&] {
        return fmt::format("{} was read, but every addition of it had failed",
                           history_.format(element.value));
      });
  }

  const ClientHistory& history_;
  Findings findings_;
  SetElements elements_;
  std::uint32_t last_ = ClientOperation::kNever;
};

}  // namespace

ModelResult check_set(const ClientHistory& history, const ModelOptions& options) {
  return FinalRead(history, options).check();
}

}  // namespace serval
