#include "serval/screen/screen_order.h"

#include <algorithm>

namespace serval {

TransactionId ScreenOrder::add(SessionId session, Outcome outcome, Interval interval) {
  const TransactionId t{static_cast<std::uint32_t>(begin_.size())};
  begin_.push_back(order_.add());
  if (shape_.snapshots) {
    order_.add();
    certain(begin(t), commit(t));
  }
  if (shape_.session_order) {
    if (session.index >= last_.size()) last_.resize(session.index + 1, TransactionId::none());
    TransactionId& before = last_[session.index];
    if (!before.is_none()) certain(commit(before), begin(t));
    before = t;
  }
  if (shape_.real_time) {
    const auto emit = [this](Vertex from, Vertex to) { certain(from, to); };
    if (interval.begin != kUnknownBegin) times_.add_begin(interval.begin, begin(t), emit);
    if (outcome == Outcome::Committed && interval.end != kUnknownEnd)
      times_.add_end(interval.end, commit(t), order_.add(), emit);
  }
  return t;
}

void ScreenOrder::depend(TransactionId from, TransactionId to) {
  if (from != to) certain(commit(from), begin(to));
}

void ScreenOrder::miss(TransactionId reader, TransactionId writer) {
  if (reader != writer) certain(begin(reader), commit(writer));
}

Vertex ScreenOrder::add_helper(TransactionId writer) {
  const Vertex helper = order_.add();
  certain(helper, commit(writer));
  return helper;
}

void ScreenOrder::miss(TransactionId reader, Vertex helper) { certain(begin(reader), helper); }

void ScreenOrder::certain(Vertex from, Vertex to) {
  if (contradicted_) return;
  ++edges_;
  while (!order_.insert(from, to, kCertain))
    if (!drop_assumption_on_path()) {
      contradicted_ = true;
      return;
    }
}

bool ScreenOrder::drop_assumption_on_path() {
  const auto step = std::ranges::find_if(
      order_.path(), [](const GrowingOrder::Step& each) { return each.label != kCertain; });
  if (step == order_.path().end()) return false;
  open_.insert(KeyId{static_cast<std::uint32_t>(step->label - 1)});
  order_.erase(step->from, step->to, step->label);
  return true;
}

void ScreenOrder::assume(KeyId key, TransactionId from, TransactionId to) {
  if (contradicted_ || from == to || open_.contains(key)) return;
  ++edges_;
  if (!order_.insert(commit(from), begin(to), label_of(key))) open_.insert(key);
}

void ScreenOrder::retract(KeyId key, TransactionId from, TransactionId to) {
  if (from == to) return;
  ++edges_;
  order_.erase(commit(from), begin(to), label_of(key));
}

std::size_t ScreenOrder::bytes() const noexcept {
  return order_.bytes() + times_.bytes() + begin_.capacity() * sizeof(Vertex);
}

}  // namespace serval
