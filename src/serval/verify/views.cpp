#include <algorithm>
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "serval/verify/facts.h"
#include "serval/verify/holds.h"

namespace serval::verify {
namespace {

// What every read of an execution saw, derived from the raw history and a commit order, taken as the
// version order of every key. Used for levels at which a transaction may miss earlier ones in the order:
// nothing is replayed, but every external read is traced to the transaction that it saw.
//
// The value of a register must be the last write of exactly one other transaction, or the initial
// version; a list must be what the transactions up to some position of the order appended, ending with
// the last append of one of them. Reads after own writes must see these; for a list, after everything
// before. Linear in the operations and the elements of the lists.

using CommitPosition = std::uint32_t;  // In the commit order, from 0.
constexpr CommitPosition kInitially = kNowhere;

struct ObservedRead {
  CommitPosition reader;
  CommitPosition source;  // kInitially for the initial version.
  KeyId key;
  OperationId read;
};

class ObservedReads {
 public:
  ObservedReads(const History& history, const std::vector<TransactionId>& order)
      : history_(history),
        order_(order),
        writers_(history.key_count()),
        lists_(history.key_count()),
        is_list_(history.key_count(), false),
        is_register_(history.key_count(), false) {}

  // Why the order does not explain some read; nothing if it explains all. The other functions require
  // the latter.
  [[nodiscard]] Flaw flaw() {
    if (Flaw flaw = flaw_of_attendance(history_, order_, position_)) return flaw;
    index_writes();
    for (CommitPosition reader = 0; reader < order_.size(); ++reader)
      for (const OperationId op : history_.operations(order_[reader]))
        if (Flaw flaw = trace(reader, op)) return flaw;
    return std::nullopt;
  }

  const std::vector<ObservedRead>& all() const noexcept {
    return observed_;
  }  // By reader, then in program order.
  const std::vector<CommitPosition>& writers(KeyId key) const { return writers_[key.index]; }  // Ascending.
  bool writes(CommitPosition t, KeyId key) const {
    return std::ranges::binary_search(writers_[key.index], t);
  }
  // The writer of the version after the one that was seen; kInitially if there is none.
  CommitPosition next_writer(const ObservedRead& observed) const {
    const std::vector<CommitPosition>& writers = writers_[observed.key.index];
    const auto next =
        observed.source == kInitially ? writers.begin() : std::ranges::upper_bound(writers, observed.source);
    return next == writers.end() ? kInitially : *next;
  }
  // kInitially for transactions outside the order.
  CommitPosition position(TransactionId t) const { return position_[t.index]; }

 private:
  struct Element {
    Value value;
    CommitPosition writer;
  };
  struct Source {
    CommitPosition writer;
    bool ambiguous = false;
  };

  void index_writes() {
    const std::vector<bool> registers = written_as_registers(history_);
    absl::flat_hash_map<KeyId, Value> last;
    for (CommitPosition at = 0; at < order_.size(); ++at) {
      last.clear();
      for (const OperationId op : history_.operations(order_[at])) {
        if (is_predicate(history_.kind(op))) continue;
        const KeyId key = history_.key(op);
        const OperationKind kind = history_.kind(op);
        const bool shows_list =
            kind == OperationKind::ReadList || (kind == OperationKind::Read && !registers[key.index]);
        const bool list =
            kind == OperationKind::Append || (shows_list && !elements_read(history_, op).empty());
        const bool says_nothing = history_.value(op).is_nil() || history_.value(op).is_unknown();
        const bool shows_nothing =
            !list && (kind == OperationKind::ReadList || (kind == OperationKind::Read && says_nothing));
        if (!shows_nothing) (list ? is_list_ : is_register_)[key.index] = true;
        const std::optional<Value> written = value_written(history_, op);
        if (!written) continue;
        if (writers_[key.index].empty() || writers_[key.index].back() != at)
          writers_[key.index].push_back(at);
        if (list)
          lists_[key.index].push_back({*written, at});
        else
          last[key] = *written;
      }
      for (const auto& [key, value] : last) {
        const auto [found, first] = last_writes_.try_emplace({key, value}, Source{at});
        if (!first) found->second.ambiguous = true;
      }
    }
  }
  Flaw trace(CommitPosition reader, OperationId op) {
    if (is_predicate(history_.kind(op))) return "cannot trace predicate operations";
    const std::optional<Value> seen = value_read(history_, op);
    if (!seen) return std::nullopt;
    const KeyId key = history_.key(op);
    if (is_list_[key.index] && is_register_[key.index])
      return fmt::format("{} is both a list and a register", history_.format_key(key));
    return is_list_[key.index] ? trace_list(reader, op, *seen) : trace_register(reader, op, *seen);
  }
  Flaw trace_register(CommitPosition reader, OperationId op, Value seen) {
    const KeyId key = history_.key(op);
    for (OperationId before{op.index}; before.index-- > history_.operations(order_[reader]).first;) {
      if (is_predicate(history_.kind(before)) || history_.key(before) != key) continue;
      const std::optional<Value> own = value_written(history_, before);
      if (!own) continue;
      if (*own == seen) return std::nullopt;
      return fmt::format("{} does not see the transaction's own last write",
                         print_in_transaction(history_, op));
    }
    const auto source = last_writes_.find({key, seen});
    const bool written = source != last_writes_.end();
    if (may_be_initial(history_, seen)) {
      const bool by_itself = written && !source->second.ambiguous && source->second.writer == reader;
      if (written && !by_itself)
        return fmt::format("it is not certain which version {} saw", print_in_transaction(history_, op));
      return note(reader, kInitially, op);
    }
    if (!written)
      return fmt::format("{} does not see the last write of a transaction in the order",
                         print_in_transaction(history_, op));
    if (source->second.ambiguous)
      return fmt::format("it is not certain which version {} saw", print_in_transaction(history_, op));
    return note(reader, source->second.writer, op);
  }
  Flaw trace_list(CommitPosition reader, OperationId op, Value seen) {
    const KeyId key = history_.key(op);
    std::vector<Value> own;
    for (const OperationId before : history_.operations(order_[reader])) {
      if (before == op) break;
      if (history_.kind(before) == OperationKind::Append && history_.key(before) == key)
        own.push_back(history_.value(before));
    }
    const auto shown = seen.is_list() ? history_.values().elements(seen) : std::span<const Value>{};
    if (shown.size() < own.size() || !std::ranges::equal(shown.last(own.size()), own))
      return fmt::format("{} does not end with the transaction's own appends",
                         print_in_transaction(history_, op));
    const auto beneath = shown.first(shown.size() - own.size());
    const std::vector<Element>& list = lists_[key.index];
    if (!own.empty()) return flaw_beneath_own(reader, op, beneath);
    const auto same = [](Value value, const Element& element) { return value == element.value; };
    if (beneath.size() > list.size() || !std::equal(beneath.begin(), beneath.end(), list.begin(), same))
      return fmt::format("{} is not a prefix of the appends in this order",
                         print_in_transaction(history_, op));
    if (beneath.empty()) return note(reader, kInitially, op);
    const CommitPosition source = list[beneath.size() - 1].writer;
    if (beneath.size() < list.size() && list[beneath.size()].writer == source)
      return fmt::format("{} ends within the appends of {}", print_in_transaction(history_, op),
                         name(history_, order_[source]));
    return note(reader, source, op);
  }
  // A read after own appends is not external; before them it shows everything before its transaction.
  Flaw flaw_beneath_own(CommitPosition reader, OperationId op, std::span<const Value> beneath) const {
    const std::vector<Element>& list = lists_[history_.key(op).index];
    const auto end = std::ranges::lower_bound(list, reader, {}, &Element::writer);
    const auto same = [](Value value, const Element& element) { return value == element.value; };
    if (std::equal(beneath.begin(), beneath.end(), list.begin(), end, same)) return std::nullopt;
    return fmt::format("{} does not show what was appended before its transaction",
                       print_in_transaction(history_, op));
  }
  Flaw note(CommitPosition reader, CommitPosition source, OperationId op) {
    if (source != kInitially && source >= reader)
      return fmt::format("{} sees {}, which does not come before it", print_in_transaction(history_, op),
                         name(history_, order_[source]));
    observed_.push_back({reader, source, history_.key(op), op});
    return std::nullopt;
  }

  const History& history_;
  const std::vector<TransactionId>& order_;
  std::vector<CommitPosition> position_;
  std::vector<std::vector<CommitPosition>> writers_;
  std::vector<std::vector<Element>> lists_;  // By key, in version order.
  std::vector<bool> is_list_, is_register_;
  absl::flat_hash_map<std::pair<KeyId, Value>, Source> last_writes_;
  std::vector<ObservedRead> observed_;
};

// `missed` overwrote what `observed` saw and precedes its reader; it must not lead to any of `ends`.
struct Question {
  std::size_t observed;
  CommitPosition missed;
  std::vector<CommitPosition> ends;
};

class Views {
 public:
  Views(const History& history, const Holds& claim)
      : history_(history), claim_(claim), observed_(history, claim.commit_order) {}

  Flaw flaw() {
    if (!claim_.snapshot.empty()) return "this level has no snapshot positions";
    if (Flaw flaw = observed_.flaw()) return flaw;
    if (claim_.proven == Level::CursorStability) return flaw_of_updates();
    if (claim_.proven == Level::ParallelSnapshotIsolation)
      if (Flaw flaw = flaw_of_sessions()) return flaw;
    collect_questions();
    collect_dependencies();
    return flaw_of_questions();
  }

 private:
  std::string name_at(CommitPosition position) const { return name(history_, claim_.commit_order[position]); }

  Flaw flaw_of_updates() const {
    for (const ObservedRead& observed : observed_.all()) {
      const CommitPosition next = observed_.next_writer(observed);
      if (next < observed.reader && observed_.writes(observed.reader, observed.key))
        return fmt::format("{} wrote {} between {} and the reader's own write", name_at(next),
                           history_.format_key(observed.key), print_in_transaction(history_, observed.read));
    }
    return std::nullopt;
  }

  Flaw flaw_of_sessions() const {
    for (const SessionId s : history_.sessions()) {
      CommitPosition before = kInitially;
      for (const TransactionId t : history_.session_transactions(s)) {
        const CommitPosition now = observed_.position(t);
        if (now == kInitially) continue;
        if (before != kInitially && before > now)
          return fmt::format("{} comes before {}, which precedes it in its session", name_at(now),
                             name_at(before));
        before = now;
      }
    }
    return std::nullopt;
  }

  void collect_questions() {
    const std::vector<ObservedRead>& all = observed_.all();
    std::vector<CommitPosition> seen_before;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == 0 || all[i - 1].reader != all[i].reader) seen_before.clear();
      const CommitPosition missed = observed_.next_writer(all[i]);
      if (missed < all[i].reader) {
        if (claim_.proven != Level::MonotonicView)
          questions_.push_back({i, missed, {all[i].reader}});
        else if (!seen_before.empty())
          questions_.push_back({i, missed, seen_before});
      }
      if (all[i].source != kInitially) seen_before.push_back(all[i].source);
    }
  }

  void collect_dependencies() {
    successors_.resize(claim_.commit_order.size());
    for (std::uint32_t key = 0; key < history_.key_count(); ++key) {
      const std::vector<CommitPosition>& writers = observed_.writers(KeyId{key});
      for (std::size_t i = 0; i + 1 < writers.size(); ++i) successors_[writers[i]].push_back(writers[i + 1]);
    }
    for (const ObservedRead& observed : observed_.all())
      if (observed.source != kInitially) successors_[observed.source].push_back(observed.reader);
    if (claim_.proven != Level::ParallelSnapshotIsolation) return;
    for (const SessionId s : history_.sessions()) {
      CommitPosition before = kInitially;
      for (const TransactionId t : history_.session_transactions(s)) {
        const CommitPosition now = observed_.position(t);
        if (now == kInitially) continue;
        if (before != kInitially) successors_[before].push_back(now);
        before = now;
      }
    }
  }

  Flaw flaw_of_questions() {
    std::ranges::stable_sort(questions_, {}, &Question::missed);
    std::vector<std::uint64_t> marks(claim_.commit_order.size(), 0);
    for (std::size_t first = 0; first < questions_.size(); first += 64) {
      const auto some =
          std::span(questions_).subspan(first, std::min<std::size_t>(64, questions_.size() - first));
      if (Flaw flaw = flaw_of_some(some, marks)) return flaw;
    }
    return std::nullopt;
  }

  // Every dependency points forward in the order, so one pass propagates each mark completely.
  Flaw flaw_of_some(std::span<const Question> some, std::vector<std::uint64_t>& marks) const {
    CommitPosition last = 0;
    for (const Question& question : some) last = std::max(last, std::ranges::max(question.ends));
    const CommitPosition from = some.front().missed;
    if (last < from) return std::nullopt;
    std::fill(marks.begin() + from, marks.begin() + last + 1, 0);
    for (std::size_t bit = 0; bit < some.size(); ++bit)
      if (some[bit].missed <= last) marks[some[bit].missed] |= std::uint64_t{1} << bit;
    for (CommitPosition at = from; at <= last; ++at)
      for (const CommitPosition next : successors_[at])
        if (next <= last) marks[next] |= marks[at];
    for (std::size_t bit = 0; bit < some.size(); ++bit)
      for (const CommitPosition end : some[bit].ends)
        if (end >= from && (marks[end] >> bit & 1) != 0)
          return fmt::format("{} misses {}, which leads to {}",
                             print_in_transaction(history_, observed_.all()[some[bit].observed].read),
                             name_at(some[bit].missed), name_at(end));
    return std::nullopt;
  }

  const History& history_;
  const Holds& claim_;
  ObservedReads observed_;
  std::vector<Question> questions_;
  std::vector<std::vector<CommitPosition>> successors_;
};

}  // namespace

bool is_view_level(Level level) {
  return level == Level::CursorStability || level == Level::MonotonicView || level == Level::ConsistentView ||
         level == Level::ParallelSnapshotIsolation;
}

Flaw flaw_of_views(const History& history, const Holds& claim) { return Views(history, claim).flaw(); }

}  // namespace serval::verify
