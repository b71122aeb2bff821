#include "serval/inference/read_write_sets.h"

#include <algorithm>
#include <numeric>

#include "serval/inference/key_states.h"
#include "serval/inference/list_accesses.h"

namespace serval {
namespace {

// What a transaction has done to one key so far.
struct KeyState {
  KeyId key;
  OperationId external_read = OperationId::none();
  OperationId last_write = OperationId::none();
  Value seen;           // The value that a read must return now.
  bool varied = false;  // Its external reads saw different values.
};

class Collector {
 public:
  Collector(const History& history, ListAccesses& lists, Budget& budget)
      : history_(history),
        lists_(lists),
        budget_(budget),
        states_(history.key_count()),
        list_collector_(history, lists, result_),
        initial_(history.initial_value()) {
    result_.rewrites_initial.assign(history.key_count(), false);
    result_.versions.assign(history.key_count(), Version{});
    result_.write_operation.assign(history.key_count(), OperationId::none());
    result_.first_access.reserve(history.transaction_count() + 1);
  }

  ReadWriteSets run() {
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("read and write sets");
      if (history_.outcome(t) != Outcome::Aborted) collect(t);
      if (lists_.any()) list_collector_.finish();
      result_.first_access.push_back(static_cast<std::uint32_t>(result_.accesses.size()));
    }
    return std::move(result_);
  }

 private:
  void collect(TransactionId t) {
    states_.clear();
    for (const OperationId op : history_.operations(t)) {
      if (lists_.any()) {
        collect_by_kind_of_key(t, op);
      } else {
        collect(t, op);
      }
    }
    for (const KeyState& state : states_.all()) add_access(t, state);
  }

  void collect(TransactionId t, OperationId op) {
    const OperationKind kind = history_.kind(op);
    if (kind == OperationKind::Read) {
      read(t, op, history_.value(op));
    } else if (kind == OperationKind::Write) {
      write(op);
    } else {
      conditional(t, op, kind);
    }
  }

  void collect_by_kind_of_key(TransactionId t, OperationId op) {
    const OperationKind kind = history_.kind(op);
    const KeyKind of_key = is_predicate(kind) ? KeyKind::Mixed : lists_.key_kinds[history_.key(op).index];
    if (of_key == KeyKind::Register) return collect(t, op);
    if (of_key == KeyKind::Mixed) return unsupported(op);
    if (kind == OperationKind::Append) return list_collector_.append(t, op);
    list_collector_.read(t, op);
  }

  void unsupported(OperationId op) {
    if (result_.unsupported_count++ == 0) result_.unsupported = op;
  }

  void conditional(TransactionId t, OperationId op, OperationKind kind) {
    if (kind == OperationKind::Delete) return write(op);
    if (!reads_register(kind) && kind != OperationKind::ReadList) return unsupported(op);
    read(t, op, value_seen(history_, op));
    if (writes_register(kind)) write(op);
  }

  void read(TransactionId t, OperationId op, Value value) {
    if (value.is_unknown()) return;
    KeyState& state = states_[history_.key(op)];
    if (state.external_read.is_none() && state.last_write.is_none()) {
      state.external_read = op;
      state.seen = value;
    } else if (value != state.seen || state.varied) [[unlikely]] {
      if (state.seen.is_unknown())
        state.seen = value;  // This reveals what the transaction wrote.
      else
        read_again(t, op, value, state);
    }
  }

  void write(OperationId op) {
    KeyState& state = states_[history_.key(op)];
    state.last_write = op;
    state.seen = history_.value(op);
    if (is_initial(state.seen)) [[unlikely]]
      result_.rewrites_initial[state.key.index] = true;
  }

  // After an own write, `seen` is what it wrote, whatever earlier reads saw.
  void read_again(TransactionId t, OperationId op, Value value, KeyState& state) {
    if (state.last_write.is_none()) {
      state.varied = true;
      result_.repeated_reads.push_back({t, op, state.key});
    }
    if (value != state.seen) contradiction(t, op, value, state);
  }

  void contradiction(TransactionId t, OperationId op, Value value, const KeyState& state) {
    const OperationId contradicted = state.last_write.is_none() ? state.external_read : state.last_write;
    // Two representations of the initial version, which both reads may have seen.
    if (state.last_write.is_none() && is_initial(value) && is_initial(state.seen)) return;
    const auto [fault, source] = own_write_of(t, op, value, state);
    result_.internal_faults.push_back({fault, t, op, source.is_none() ? contradicted : source});
  }

  // Whether the transaction itself wrote the value before or writes it later, and where. Of two reads
  // before any own write, the second may have seen another transaction's write of the same value, which
  // weak levels allow.
  std::pair<ReadFault, OperationId> own_write_of(TransactionId t, OperationId op, Value value,
                                                 const KeyState& state) const {
    if (state.last_write.is_none()) return {ReadFault::NonRepeatable, OperationId::none()};
    for (const OperationId other : history_.operations(t)) {
      if (!writes_register(history_.kind(other)) || history_.key(other) != state.key ||
          history_.value(other) != value)
        continue;
      return {other < op ? ReadFault::NotMyLastWrite : ReadFault::Future, other};
    }
    return {ReadFault::NotMyOwnWrite, OperationId::none()};
  }

  void add_access(TransactionId t, const KeyState& state) {
    Access access{.key = state.key};
    if (!state.last_write.is_none()) {
      access.written = VersionId{static_cast<std::uint32_t>(result_.versions.size())};
      result_.versions.push_back({.writer = t});
      result_.write_operation.push_back(state.last_write);
    }
    result_.accesses.push_back(access);
    result_.read_operation.push_back(state.external_read);
  }

  bool is_initial(Value value) const { return value.is_nil() || value == initial_; }

  const History& history_;
  const ListAccesses& lists_;
  Budget& budget_;
  KeyStates<KeyState> states_;
  ReadWriteSets result_;
  ListCollector list_collector_;
  Value initial_;
};

}  // namespace

Value value_seen(const History& history, OperationId op) {
  switch (history.kind(op)) {
    case OperationKind::CompareAndSet:
      return history.expected(op);
    case OperationKind::Insert:
      return Value::nil();
    case OperationKind::ReadList:
      return elements_shown(history, op).empty() && !history.value(op).is_unknown() ? Value::nil()
                                                                                    : history.value(op);
    default:
      return history.value(op);
  }
}

ReadWriteSets collect_read_write_sets(const History& history, ListAccesses& lists, Budget& budget) {
  lists.key_kinds = kinds_of_keys(history);
  ReadWriteSets read_write_sets = Collector(history, lists, budget).run();
  read_write_sets.index_large_transactions();
  return read_write_sets;
}

const Access* ReadWriteSets::access(TransactionId t, KeyId key) const {
  const std::span<const Access> candidates = of(t);
  if (candidates.size() <= kMany || large.empty()) {
    const auto found = std::ranges::find(candidates, key, &Access::key);
    return found == candidates.end() ? nullptr : &*found;
  }
  const std::vector<std::uint32_t>& by_key =
      std::ranges::lower_bound(large, t, {}, &Large::transaction)->by_key;
  const auto key_of = [this](std::uint32_t index) { return accesses[index].key; };
  const auto found = std::ranges::lower_bound(by_key, key, {}, key_of);
  return found == by_key.end() || key_of(*found) != key ? nullptr : &accesses[*found];
}

void ReadWriteSets::index_large_transactions() {
  for (std::uint32_t t = 0; t + 1 < first_access.size(); ++t) {
    const std::size_t count = of(TransactionId{t}).size();
    if (count <= kMany) continue;
    Large& entry = large.emplace_back(Large{TransactionId{t}, std::vector<std::uint32_t>(count)});
    std::iota(entry.by_key.begin(), entry.by_key.end(), first_access[t]);
    std::ranges::sort(entry.by_key, {}, [this](std::uint32_t index) { return accesses[index].key; });
  }
}

}  // namespace serval
