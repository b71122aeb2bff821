#include "serval/workload/script.h"

#include <utility>

namespace serval {
namespace {

class PlayedPlan final : public Script {
 public:
  PlayedPlan(TransactionPlan plan, KnownTags& known) : plan_(std::move(plan)), known_(known) {}

  std::optional<Request> next() override {
    if (played_ == plan_.operations.size()) return std::nullopt;
    return request(plan_.operations[played_++]);
  }

  void complete(const Request& asked, const Answer& answer) override {
    switch (asked.kind) {
      case Request::Kind::Write:
        known_[asked.key] = asked.tag;
        break;
      case Request::Kind::Insert:
      case Request::Kind::CompareAndSet:
      case Request::Kind::Update:
        if (answer.applied) known_[asked.key] = asked.tag;
        if (!answer.applied) note_seen(asked.key, answer);
        break;
      case Request::Kind::Read:
        note_seen(asked.key, answer);
        break;
      default:
        break;
    }
  }

  bool aborts() const override { return plan_.abort; }

 private:
  void note_seen(std::uint64_t key, const Answer& answer) {
    if (answer.rows.empty())
      known_.erase(key);
    else
      known_[key] = answer.rows.front().tag;
  }

  Request request(const PlannedOperation& operation) const {
    Request out;
    out.key = operation.key;
    switch (operation.kind) {
      case PlannedOperation::Kind::Read:
        out.kind = Request::Kind::Read;
        break;
      case PlannedOperation::Kind::Write:
        out.kind = Request::Kind::Write;
        break;
      case PlannedOperation::Kind::ReadModifyWrite:
        out.kind = Request::Kind::Update;
        break;
      case PlannedOperation::Kind::Append:
        out.kind = Request::Kind::Append;
        break;
      case PlannedOperation::Kind::ReadList:
        out.kind = Request::Kind::ReadList;
        break;
      case PlannedOperation::Kind::Insert:
        out.kind = Request::Kind::Insert;
        break;
      case PlannedOperation::Kind::CompareAndSet: {
        const auto seen = known_.find(operation.key);
        out.kind = seen == known_.end() ? Request::Kind::Insert : Request::Kind::CompareAndSet;
        if (seen != known_.end()) out.expected = seen->second;
        break;
      }
    }
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
