#include "serval/workload/script.h"

#include <array>
#include <utility>

namespace serval {
namespace {

using Asked = Request::Kind;

// By PlannedOperation::Kind.
constexpr std::array kRequests{Asked::Read,     Asked::Write,         Asked::Update, Asked::Append,
                               Asked::ReadList, Asked::CompareAndSet, Asked::Insert};

class PlayedPlan final : public Script {
 public:
  PlayedPlan(TransactionPlan plan, KnownTags& known) : plan_(std::move(plan)), known_(known) {}

  std::optional<Request> next() override {
    if (played_ == plan_.operations.size()) return std::nullopt;
    return request(plan_.operations[played_++]);
  }

  void complete(const Request& asked, const Answer& answer) override {
    if (asked.kind == Asked::Append || asked.kind == Asked::ReadList) return;
    if (asked.kind == Asked::Write || (asked.kind != Asked::Read && answer.applied))
      known_[asked.key] = asked.tag;
    else if (answer.rows.empty())
      known_.erase(asked.key);
    else
      known_[asked.key] = answer.rows.front().tag;
  }

  bool aborts() const override { return plan_.abort; }

 private:
  Request request(const PlannedOperation& operation) const {
    Request out{.kind = kRequests[static_cast<std::size_t>(operation.kind)], .key = operation.key};
    if (out.kind != Asked::CompareAndSet) return out;
    const auto seen = known_.find(operation.key);
    if (seen == known_.end())
      out.kind = Asked::Insert;
    else
      out.expected = seen->second;
    return out;
  }

  TransactionPlan plan_;
  KnownTags& known_;
  std::size_t played_ = 0;
};

}  // namespace

std::unique_ptr<Script> play(TransactionPlan plan, KnownTags& known) {
  return std::make_unique<PlayedPlan>(std::move(plan), known);
}

}  // namespace serval
