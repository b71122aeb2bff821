#include "serval/verify/ordered_reads.h"

#include <algorithm>

#include <fmt/format.h>

#include "serval/history/notation.h"

namespace serval::verify {
namespace {

// What the transactions leave behind, one after another.
class Timeline {
 public:
  Timeline(const History& history, const CommitOrder& order)
      : history_(history),
        lists_(history),
        order_(order),
        written_(history.key_count()),
        grown_(history.key_count()),
        elements_(history.key_count()) {
    for (std::uint32_t i = 0; i < order.size(); ++i)
      for (const OperationId op : history.operations(order[i])) note(i, op);
  }

  // Checks every read of every transaction in the order; `judge_external` says whether an external one
  // is possible.
  template <class JudgeExternal>
  Flaw flaw_of_reads(JudgeExternal&& judge_external) const {
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      for (const OperationId op : history_.operations(order_[i])) {
        if (is_predicate(history_.kind(op)))
          return fmt::format("cannot judge predicate operations ({} has one)", name(history_, order_[i]));
        if (lists_.is_opaque(history_.key(op)))
          return fmt::format("{} is both list and register", history_.format_key(history_.key(op)));
        if (!value_read(history_, op)) continue;
        const OperationId own = own_write_before(i, op);
        const bool fits = !own.is_none() ? sees_own(i, op, own) : judge_external(i, op);
        if (!fits) return fmt::format("{} does not fit the order", print_in_transaction(history_, op));
      }
    }
    return std::nullopt;
  }

  bool is_list(OperationId op) const { return lists_.is_list(history_.key(op)); }
  bool is_initial(OperationId read) const { return may_be_initial(history_, *value_read(history_, read)); }

  // Whether some transaction before position i left the value behind.
  bool left_before(std::uint32_t i, OperationId read) const {
    const auto found = first_left_.find(std::pair(history_.key(read), *value_read(history_, read)));
    return found != first_left_.end() && found->second < i;
  }
  // The last write of the key by the first `count` transactions; none() if there is none.
  OperationId last_write(KeyId key, std::uint32_t count) const {
    const auto& writes = written_[key.index];
    const auto end = std::ranges::lower_bound(writes, count, {}, &Write::position);
    return end == writes.begin() ? OperationId::none() : std::prev(end)->op;
  }
  // The length of the list after the first `count` transactions.
  std::size_t length_after(KeyId key, std::uint32_t count) const {
    const auto& grown = grown_[key.index];
    const auto end = std::ranges::lower_bound(grown, count, {}, &Growth::position);
    return end == grown.begin() ? 0 : std::prev(end)->length;
  }
  // Whether the list has this length between two transactions, the first of them before position i.
  bool has_length_before(KeyId key, std::size_t length, std::uint32_t i) const {
    if (length == 0) return true;
    const auto& grown = grown_[key.index];
    const auto found = std::ranges::lower_bound(grown, length, {}, &Growth::length);
    return found != grown.end() && found->length == length && found->position < i;
  }
  bool shows_prefix(OperationId read, std::size_t length) const {
    const auto shown = elements_read(history_, read);
    const auto& elements = elements_[history_.key(read).index];
    return length <= shown.size() && length <= elements.size() &&
           std::equal(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(length),
                      shown.begin());
  }

 private:
  struct Write {
    std::uint32_t position;
    OperationId op;
  };
  struct Growth {
    std::uint32_t position;
    std::size_t length;
  };

  void note(std::uint32_t i, OperationId op) {
    const std::optional<Value> value = value_written(history_, op);
    if (!value) return;
    const KeyId key = history_.key(op);
    if (lists_.is_list(key)) {
      auto& grown = grown_[key.index];
      elements_[key.index].push_back(*value);
      if (grown.empty() || grown.back().position != i) grown.push_back({i, 0});
      grown.back().length = elements_[key.index].size();
      return;
    }
    auto& writes = written_[key.index];
    if (writes.empty() || writes.back().position != i) writes.push_back({i, op});
    writes.back().op = op;
    if (is_last_write(i, op)) first_left_.try_emplace({key, *value}, i);
  }

  bool is_last_write(std::uint32_t i, OperationId write) const {
    const IdRange<OperationId> own = history_.operations(order_[i]);
    for (std::uint32_t later = write.index + 1; later < own.last; ++later)
      if (writes_key(OperationId{later}, history_.key(write))) return false;
    return true;
  }
  OperationId own_write_before(std::uint32_t i, OperationId read) const {
    const IdRange<OperationId> own = history_.operations(order_[i]);
    for (std::uint32_t earlier = read.index; earlier-- > own.first;)
      if (writes_key(OperationId{earlier}, history_.key(read))) return OperationId{earlier};
    return OperationId::none();
  }
  bool writes_key(OperationId op, KeyId key) const {
    return !is_predicate(history_.kind(op)) && history_.key(op) == key && value_written(history_, op);
  }

  bool sees_own(std::uint32_t i, OperationId read, OperationId own) const {
    if (!is_list(read)) return value_written(history_, own) == value_read(history_, read);
    const KeyId key = history_.key(read);
    std::size_t own_appends = 0;
    for (const OperationId op : history_.operations(order_[i]))
      if (op < read && writes_key(op, key)) ++own_appends;
    const std::size_t shown = elements_read(history_, read).size();
    return shown == length_after(key, i) + own_appends && shows_prefix(read, shown);
  }

  const History& history_;
  Lists lists_;
  const CommitOrder& order_;
  std::vector<std::vector<Write>> written_;   // By register: last writes, in order.
  std::vector<std::vector<Growth>> grown_;    // By list: its length after each transaction that appends.
  std::vector<std::vector<Value>> elements_;  // By list: all elements, in order.
  absl::flat_hash_map<std::pair<KeyId, Value>, std::uint32_t> first_left_;  // The first position.
};

// If a transaction has both an external list read and one after own appends, they must agree.
Flaw flaw_of_agreement(const History& history, const Timeline& timeline, TransactionId t) {
  absl::flat_hash_map<KeyId, std::pair<std::size_t, std::size_t>> state;  // Length read, own appends.
  absl::flat_hash_map<KeyId, bool> has_read;
  for (const OperationId op : history.operations(t)) {
    if (!timeline.is_list(op)) continue;
    auto& [length, own] = state[history.key(op)];
    if (history.kind(op) == OperationKind::Append) ++own;
    if (!value_read(history, op)) continue;
    const std::size_t beneath = elements_read(history, op).size() - own;
    if (own == 0) {
      has_read[history.key(op)] = true;
      length = beneath;
    } else if (has_read.contains(history.key(op)) && beneath != length) {
      return fmt::format("{} does not show what was read before", print_in_transaction(history, op));
    }
  }
  return std::nullopt;
}

Flaw flaw_of_duplicates(const Facts& facts) {
  const History& history = facts.history();
  for (const KeyId key : history.key_ids()) {
    for (const OperationId read : facts.lists().reads_of(key)) {
      if (!facts.participates(history.transaction_of(read))) continue;
      absl::flat_hash_map<Value, std::ptrdiff_t> times;
      for (const Value element : facts.lists().counted(read))
        if (++times[element] > facts.lists().appended(key, element).live)
          return fmt::format("{} shows an element more often than it was appended",
                             print_operation(history, read));
    }
  }
  return std::nullopt;
}

// Follows what the reads of one list show, given its appends in the order of their transactions.
class GrowingList {
 public:
  explicit GrowingList(std::vector<Value> shown) : shown_(std::move(shown)) {}

  // Whether all appends of the next transaction come next, in any order, as far as anything is shown.
  bool grow(std::vector<Value> appended) {
    for (; !appended.empty() && length_ < shown_.size(); ++length_) {
      const auto next = std::ranges::find(appended, shown_[length_]);
      if (next == appended.end()) return false;
      appended.erase(next);
    }
    return true;
  }

 private:
  std::vector<Value> shown_;
  std::size_t length_ = 0;
};

// What the reads of a list show: one list, or one per read if they contradict each other.
std::vector<GrowingList> lists_shown(const Facts& facts, KeyId key) {
  std::vector<GrowingList> lists;
  if (const auto& shown = facts.lists().shown(key, facts.participants())) {
    lists.emplace_back(*shown);
    return lists;
  }
  for (const OperationId read : facts.lists().reads_of(key))
    if (facts.participates(facts.history().transaction_of(read)))
      lists.emplace_back(facts.lists().counted(read));
  return lists;
}

// A transaction that was read from took effect, even if the reads themselves are not checked.
Flaw flaw_of_absence(const Facts& facts, const CommitOrder& order) {
  std::vector<bool> present(facts.history().transaction_count(), false);
  for (const TransactionId t : order) present[t.index] = true;
  for (const TransactionId t : facts.history().transactions())
    if (facts.participates(t) && !present[t.index])
      return fmt::format("{} was read but does not take part", name(facts.history(), t));
  return std::nullopt;
}

}  // namespace

Flaw flaw_of_shown_lists(const History& history, const CommitOrder& order) {
  const Facts facts(history);
  if (Flaw flaw = flaw_of_duplicates(facts)) return flaw;
  if (Flaw flaw = flaw_of_absence(facts, order)) return flaw;
  std::vector<std::vector<GrowingList>> lists;
  for (const KeyId key : history.key_ids()) lists.push_back(lists_shown(facts, key));
  for (const TransactionId t : order) {
    std::map<KeyId, std::vector<Value>> appended;
    for (const OperationId op : history.operations(t)) {
      if (is_predicate(history.kind(op))) return "cannot judge predicate operations";
      if (facts.lists().is_opaque(history.key(op)))
        return fmt::format("{} is both list and register", history.format_key(history.key(op)));
      if (facts.is_list(history.key(op)) && history.kind(op) == OperationKind::Append)
        appended[history.key(op)].push_back(history.value(op));
    }
    for (const auto& [key, elements] : appended)
      if (!std::ranges::all_of(lists[key.index],
                               [&added = elements](GrowingList& list) { return list.grow(added); }))
        return fmt::format("{} does not append to {} at the position that its reads show", name(history, t),
                           history.format_key(key));
  }
  return std::nullopt;
}

Flaw flaw_of_committed_reads(const History& history, const CommitOrder& order) {
  const Timeline timeline(history, order);
  return timeline.flaw_of_reads([&](std::uint32_t i, OperationId read) {
    if (!timeline.is_list(read)) return timeline.is_initial(read) || timeline.left_before(i, read);
    const std::size_t length = elements_read(history, read).size();
    return timeline.shows_prefix(read, length) && timeline.has_length_before(history.key(read), length, i);
  });
}

Flaw flaw_of_prefix_reads(const History& history, const CommitOrder& order,
                          const std::vector<std::uint32_t>& snapshot) {
  const Timeline timeline(history, order);
  Flaw flaw = timeline.flaw_of_reads([&](std::uint32_t i, OperationId read) {
    const KeyId key = history.key(read);
    if (timeline.is_list(read)) {
      const std::size_t length = timeline.length_after(key, snapshot[i]);
      return elements_read(history, read).size() == length && timeline.shows_prefix(read, length);
    }
    const OperationId write = timeline.last_write(key, snapshot[i]);
    return write.is_none() ? timeline.is_initial(read)
                           : value_written(history, write) == value_read(history, read);
  });
  for (std::size_t i = 0; i < order.size() && !flaw; ++i)
    flaw = flaw_of_agreement(history, timeline, order[i]);
  return flaw;
}

}  // namespace serval::verify
