#include "serval/inference/lint.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "serval/inference/key_kinds.h"
#include "serval/inference/reads_from.h"

namespace serval {
namespace {

constexpr const char* kPhase = "lint";

bool installs_value(OperationKind kind) { return writes_whole(kind) || kind == OperationKind::Append; }

// A value that an operation wrote to a key.
struct Written {
  KeyId key;
  Value value;
  OperationId op;
  friend auto operator<=>(const Written&, const Written&) = default;
};

// All written values, sorted, so that a binary search finds their writers.
class WriteIndex {
 public:
  explicit WriteIndex(const History& history) {
    for (std::uint32_t i = 0; i < history.operation_count(); ++i)
      if (const OperationId op{i}; installs_value(history.kind(op)))
        writes_.push_back({history.key(op), history.value(op), op});
    std::ranges::sort(writes_);
  }
  std::span<const Written> all() const { return writes_; }
  std::size_t count(KeyId key, Value value) const {
    const auto same = [](const Written& written) { return std::pair(written.key, written.value); };
    const auto first = std::ranges::lower_bound(writes_, std::pair(key, value), {}, same);
    const auto last = std::ranges::upper_bound(first, writes_.end(), std::pair(key, value), {}, same);
    return static_cast<std::size_t>(last - first);
  }

 private:
  std::vector<Written> writes_;
};

class Linter {
 public:
  Linter(const History& history, Budget* budget) : history_(history), budget_(budget), index_(history) {}

  Lint run() {
    look_at_duplicates();
    look_at_operations();
    look_at_outcomes();
    for (const SessionId session : history_.sessions())
      look_at_session(history_.session_transactions(session));
    grade_version_orders();
    return std::move(out_);
  }

 private:
  void poll() {
    if (budget_ != nullptr) budget_->poll(kPhase);
  }

  void look_at_duplicates() {
    const std::span<const Written> writes = index_.all();
    for (std::size_t i = 1; i < writes.size(); ++i) {
      poll();
      if (writes[i].key != writes[i - 1].key || writes[i].value != writes[i - 1].value) continue;
      if (writes[i].value.is_unknown()) continue;
      out_.duplicate_writes.add({writes[i - 1].op, writes[i].op});
      const TransactionId earlier = history_.transaction_of(writes[i - 1].op);
      const TransactionId later = history_.transaction_of(writes[i].op);
      if (earlier != later && history_.outcome(earlier) != Outcome::Committed)
        out_.repeated_attempts.add({earlier, later});
    }
  }

  bool is_initial(Value value) const { return value.is_nil() || value == history_.initial_value(); }
  // A write whose value was not recorded may have written this value.
  bool was_written(KeyId key, Value value) const {
    return index_.count(key, value) > 0 || index_.count(key, Value::unknown()) > 0;
  }

  // The value that an operation saw, if it saw a single value.
  std::optional<Value> seen(OperationId op) const {
    switch (history_.kind(op)) {
      case OperationKind::Read:
      case OperationKind::InsertMiss:
      case OperationKind::CompareAndSetMiss:
        return history_.value(op);
      case OperationKind::CompareAndSet:
        return history_.expected(op);
      case OperationKind::Insert:
        return Value::nil();
      default:
        return std::nullopt;
    }
  }

  void look_at_operations() {
    last_on_key_.assign(history_.key_count(), OperationId::none());
    orders_.assign(history_.key_count(), {});
    std::vector<bool> blind(history_.key_count(), false);
    for (const TransactionId t : history_.transactions()) {
      const bool aborted = history_.outcome(t) == Outcome::Aborted;
      out_.single_operations = out_.single_operations && history_.operations(t).size() <= 1;
      for (const OperationId op : history_.operations(t)) {
        poll();
        count_kind(history_.kind(op));
        if (aborted || history_.key(op).is_none()) continue;
        look_at_read(op);
        look_at_write(t, op, blind);
        last_on_key_[history_.key(op).index] = op;
      }
    }
    out_.blindly_written_keys = static_cast<std::uint64_t>(std::ranges::count(blind, true));
  }

  void count_kind(OperationKind kind) {
    const bool list = kind == OperationKind::Append || kind == OperationKind::ReadList;
    const bool conditional =
        is_conditional(kind) || kind == OperationKind::Insert || kind == OperationKind::InsertMiss;
    out_.list_operations += list ? 1 : 0;
    out_.predicate_operations += is_predicate(kind) ? 1 : 0;
    out_.conditional_operations += conditional ? 1 : 0;
    out_.deletes += kind == OperationKind::Delete ? 1 : 0;
  }

  void look_at_read(OperationId op) {
    const KeyId key = history_.key(op);
    if (history_.kind(op) == OperationKind::ReadList) {
      look_at_list(op);
      return;
    }
    const std::optional<Value> value = seen(op);
    if (!value || value->is_unknown() || is_initial(*value)) return;
    if (!was_written(key, *value)) out_.unwritten_reads.add(op);
  }

  void look_at_list(OperationId op) {
    const Value list = history_.value(op);
    if (!list.is_list()) return;
    const std::span<const Value> elements = history_.values().elements(list);
    KeyOrder& order = orders_[history_.key(op).index];
    order.longest_list = std::max<std::uint64_t>(order.longest_list, elements.size());
    const auto unwritten = [&](Value element) { return index_.count(history_.key(op), element) == 0; };
    if (std::ranges::any_of(elements, unwritten)) out_.unwritten_reads.add(op);
  }

  void look_at_write(TransactionId t, OperationId op, std::vector<bool>& blind) {
    const OperationKind kind = history_.kind(op);
    if (!installs_value(kind) && kind != OperationKind::Delete) return;
    const KeyId key = history_.key(op);
    KeyOrder& order = orders_[key.index];
    if (kind == OperationKind::Append) {
      ++order.appends;
      return;
    }
    ++order.writes;
    const OperationId before = last_on_key_[key.index];
    const bool knows_key = !before.is_none() && before.index >= history_.operations(t).first;
    if (kind == OperationKind::Write || kind == OperationKind::Delete) {
      if (!knows_key) {
        out_.blind_writes.add(op);
        blind[key.index] = true;
        return;
      }
    }
    note_predecessor(key, knows_key && !seen(op) ? before : op);
  }

  // The version that a write replaced: what `source`, the preceding operation or the write itself,
  // shows.
  void note_predecessor(KeyId key, OperationId source) {
    KeyOrder& order = orders_[key.index];
    const std::optional<Value> replaced = seen(source);
    if (!replaced) {  // It overwrote a write of its own transaction.
      ++order.known;
      return;
    }
    if (replaced->is_unknown()) return;
    const bool initial = is_initial(*replaced);
    if (index_.count(key, *replaced) != (initial ? 0 : 1)) return;
    ++order.known;
    replaced_.emplace_back(key, initial ? Value::nil() : *replaced);
  }

  void look_at_outcomes() {
    for (const TransactionId t : history_.transactions()) {
      if (history_.outcome(t) == Outcome::Aborted) ++out_.aborted;
      if (history_.outcome(t) == Outcome::Indeterminate) out_.indeterminate.add(t);
      if (history_.operations(t).empty()) out_.empty_transactions.add(t);
      const Interval interval = history_.interval(t);
      if (interval.begin == kUnknownBegin || interval.end == kUnknownEnd) continue;
      ++out_.timed;
      if (interval.end < interval.begin) out_.ends_before_begin.add(t);
    }
  }

  void look_at_session(std::span<const TransactionId> transactions) {
    for (std::size_t i = 1; i < transactions.size(); ++i) {
      poll();
      const TransactionId before = transactions[i - 1], after = transactions[i];
      if (history_.outcome(before) != Outcome::Committed && same_requests(before, after))
        out_.retries.add({before, after});
      const Time end = history_.interval(before).end, begin = history_.interval(after).begin;
      if (end == kUnknownEnd || begin == kUnknownBegin) continue;
      if (begin < end) out_.overlaps.add({before, after});
      if (begin == end) out_.equal_times.add({before, after});
    }
  }

  // The same kinds, keys and written values in the same order; values read may differ.
  bool same_requests(TransactionId one, TransactionId other) const {
    const IdRange<OperationId> left = history_.operations(one), right = history_.operations(other);
    if (left.empty() || left.size() != right.size()) return false;
    bool wrote = false;
    for (std::uint32_t i = 0; i < left.size(); ++i) {
      if (history_.kind(left[i]) != history_.kind(right[i]) ||
          history_.key(left[i]) != history_.key(right[i]))
        return false;
      if (!installs_value(history_.kind(left[i]))) continue;
      wrote = true;
      if (history_.value(left[i]) != history_.value(right[i])) return false;
    }
    return wrote;
  }

  void grade_version_orders() {
    mark_branches();
    for (const KeyOrder& order : orders_) {
      const std::uint64_t all = order.writes + order.appends;
      const std::uint64_t known = order.known + std::min(order.longest_list, order.appends);
      if (all == 0) continue;
      if (all == 1 || (known >= all && !order.branches))
        ++out_.keys_total_order;
      else if (known > 0)
        ++out_.keys_partial_order;
      else
        ++out_.keys_no_order;
    }
  }

  // Two writes that replaced the same version leave the order of their key open.
  void mark_branches() {
    std::ranges::sort(replaced_);
    for (std::size_t i = 1; i < replaced_.size(); ++i)
      if (replaced_[i] == replaced_[i - 1]) orders_[replaced_[i].first.index].branches = true;
  }

  struct KeyOrder {
    std::uint64_t writes = 0, appends = 0;
    std::uint64_t known = 0;  // Writes whose predecessor the reads show.
    std::uint64_t longest_list = 0;
    bool branches = false;
  };

  const History& history_;
  Budget* budget_;
  WriteIndex index_;
  std::vector<OperationId> last_on_key_;
  std::vector<KeyOrder> orders_;
  std::vector<std::pair<KeyId, Value>> replaced_;
  Lint out_;
};

}  // namespace

Lint lint(const History& history, Budget* budget) {
  Lint facts = Linter(history, budget).run();
  Budget unlimited = Budget::unlimited();
  facts.order_is_complete =
      infer_relations(history, budget != nullptr ? *budget : unlimited).order_is_complete();
  return facts;
}

bool fits_mini_transactions(const Lint& facts) { return facts.order_is_complete; }

bool fits_lightweight_transactions(const Lint& facts, const History& history) {
  const std::span<const OperationKind> kinds = history.kind_column();
  return facts.single_operations && facts.conditional_operations > 0 &&
         std::ranges::all_of(kinds, reads_register);
}

}  // namespace serval
