#include <algorithm>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "serval/formats/register_view.h"
#include "serval/formats/text/text_formats.h"

namespace serval {
namespace {

constexpr Value kAbortedLabel = Value::integer(-1);

class PolySiWriter {
 public:
  PolySiWriter(const History& history, Losses& losses)
      : history_(history),
        view_(history, {.aborted = RegisterRules::Aborted::WritesOnly}, losses),
        keys_(view_.number_keys(losses)) {
    number_sessions(losses);
    number_transactions(losses);
    count_merged(losses);
    count_load(losses);
  }

  void write(const ByteOutput& out) {
    constexpr std::size_t kEnough = 1 << 16;
    for (const TransactionId t : history_.transactions()) {
      if (view_.contains(t)) append(t);
      if (text_.size() < kEnough) continue;
      out(text_);
      text_.clear();
    }
    out(text_);
  }

 private:
  void append(TransactionId t) {
    tail_ = ",";
    append_number(tail_, history_.values(), sessions_[history_.session(t).index]);
    tail_ += ',';
    append_number(tail_, history_.values(), view_.is_aborted(t) ? kAbortedLabel : number_of(t));
    tail_ += ")\n";
    view_.steps(t, steps_);
    for (const RegisterStep& step : steps_) {
      text_ += step.kind == OperationKind::Write ? "w(" : "r(";
      append_number(text_, history_.values(), keys_[step.key.index]);
      text_ += ',';
      append_number(text_, history_.values(), step.value.is_nil() ? Value::integer(0) : step.value);
      text_ += tail_;
    }
  }

  // Readers treat a first transaction that writes only 0 as the load of the initial rows, with no
  // version before it.
  void count_load(Losses& losses) {
    if (history_.initial_value() != Value::integer(0)) return;
    for (const TransactionId t : history_.transactions()) {
      if (!view_.contains(t)) continue;
      view_.steps(t, steps_);
      const bool loads = std::ranges::all_of(steps_, [](const RegisterStep& step) {
        return step.kind == OperationKind::Write && step.value == Value::integer(0);
      });
      if (loads) losses.add("first transactions that write only 0 and will be read as the initial versions");
      return;
    }
  }

  // A session keeps its label when every label is an integer.
  void number_sessions(Losses& losses) {
    bool keep = true;
    for (const SessionId session : history_.sessions()) {
      sessions_.push_back(history_.session_label(session));
      keep = keep && view_.fits(sessions_.back());
      if (history_.session_transactions(session).empty())
        losses.add("sessions without transactions left out");
    }
    if (keep) return;
    for (const SessionId session : history_.sessions())
      sessions_[session.index] = Value::integer(session.index);
    losses.add("sessions renumbered", sessions_.size());
  }

  // Other tools identify a transaction by its txn alone, so labels are kept only if they are distinct.
  void number_transactions(Losses& losses) {
    absl::flat_hash_set<Value> seen;
    std::size_t written = 0;
    for (const TransactionId t : history_.transactions()) {
      if (!view_.contains(t) || view_.is_aborted(t)) continue;
      const Value label = history_.label(t);
      labels_fit_ = labels_fit_ && view_.fits(label) && label != kAbortedLabel && seen.insert(label).second;
      ++written;
    }
    if (!labels_fit_) losses.add("transactions renumbered", written);
  }
  Value number_of(TransactionId t) const { return labels_fit_ ? history_.label(t) : Value::integer(t.index); }

  // Adjacent aborted transactions of a session are not separated in the file.
  void count_merged(Losses& losses) const {
    for (const SessionId session : history_.sessions()) {
      bool after_aborted = false;
      for (const TransactionId t : history_.session_transactions(session)) {
        if (!view_.contains(t)) continue;
        if (after_aborted && view_.is_aborted(t))
          losses.add("aborted transactions merged with the one before");
        after_aborted = view_.is_aborted(t);
      }
    }
  }

  const History& history_;
  RegisterView view_;
  std::vector<Value> keys_, sessions_;
  bool labels_fit_ = true;
  std::vector<RegisterStep> steps_;
  std::string text_, tail_;
};

}  // namespace

void write_polysi(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_with_losses<PolySiWriter>(history, out, lossy);
}

}  // namespace serval
