#include "serval/inference/footprint.h"

#include <algorithm>

namespace serval {
namespace {

constexpr bool reads_register(OperationKind kind) {
  return kind == OperationKind::Read || kind == OperationKind::CompareAndSet ||
         kind == OperationKind::CompareAndSetMiss || kind == OperationKind::Insert ||
         kind == OperationKind::InsertMiss;
}
constexpr bool writes_register(OperationKind kind) {
  return kind == OperationKind::Write || kind == OperationKind::CompareAndSet ||
         kind == OperationKind::Insert || kind == OperationKind::Delete;
}

// What one transaction has done to one key so far.
struct KeyState {
  KeyId key;
  OperationId external_read = OperationId::none();
  OperationId last_write = OperationId::none();
  Value seen;           // What a read must return now.
  bool varied = false;  // Its external reads saw different values.
};

// The keys of one transaction: a linear search while they are few, an index by key once they are many.
class KeyStates {
 public:
  explicit KeyStates(std::size_t key_count) : key_count_(key_count) {}

  void clear() {
    states_.clear();
    ++epoch_;
  }
  std::span<const KeyState> all() const { return states_; }

  KeyState& operator[](KeyId key) {
    if (states_.size() <= kFew) {
      for (KeyState& state : states_) {
        if (state.key == key) return state;
      }
      if (states_.size() < kFew) return add(key);
      index_all();
    }
    Slot& slot = index_[key.index];
    if (slot.epoch == epoch_) return states_[slot.position];
    slot = {epoch_, static_cast<std::uint32_t>(states_.size())};
    return add(key);
  }

 private:
  static constexpr std::size_t kFew = 12;
  struct Slot {
    std::uint32_t epoch = 0;
    std::uint32_t position = 0;
  };

  KeyState& add(KeyId key) {
    states_.push_back({.key = key});
    return states_.back();
  }
  void index_all() {
    index_.resize(key_count_);
    for (std::uint32_t position = 0; position < states_.size(); ++position)
      index_[states_[position].key.index] = {epoch_, position};
  }

  std::size_t key_count_;
  std::vector<KeyState> states_;
  std::vector<Slot> index_;
  std::uint32_t epoch_ = 0;
};

class Collector {
 public:
  Collector(const History& history, Budget& budget)
      : history_(history), budget_(budget), states_(history.key_count()), initial_(history.initial_value()) {
    result_.writes_initial_value.assign(history.key_count(), false);
    result_.writes_nil.assign(history.key_count(), false);
    result_.versions.assign(history.key_count(), Version{});
    result_.write_operation.assign(history.key_count(), OperationId::none());
    result_.first_access.reserve(history.transaction_count() + 1);
  }

  Footprints run() {
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("footprints");
      if (history_.outcome(t) != Outcome::Aborted) collect(t);
      result_.first_access.push_back(static_cast<std::uint32_t>(result_.accesses.size()));
    }
    judge_mixed_initial_reads();
    return std::move(result_);
  }

 private:
  void collect(TransactionId t) {
    states_.clear();
    for (const OperationId op : history_.operations(t)) {
      const OperationKind kind = history_.kind(op);
      if (kind == OperationKind::Read) {
        read(t, op, history_.value(op));
      } else if (kind == OperationKind::Write) {
        write(op);
      } else {
        conditional(t, op, kind);
      }
    }
    for (const KeyState& state : states_.all()) add_access(t, state);
  }

  void conditional(TransactionId t, OperationId op, OperationKind kind) {
    if (kind == OperationKind::Delete) return write(op);
    if (!reads_register(kind)) {
      if (result_.unsupported_count++ == 0) result_.unsupported = op;
      return;
    }
    read(t, op, value_read(history_, op));
    if (writes_register(kind)) write(op);
  }

  void read(TransactionId t, OperationId op, Value value) {
    if (value.is_unknown()) return;
    KeyState& state = states_[history_.key(op)];
    if (state.external_read.is_none() && state.last_write.is_none()) {
      state.external_read = op;
      state.seen = value;
    } else if (value != state.seen || state.varied) [[unlikely]] {
      read_again(t, op, value, state);
    }
  }

  void write(OperationId op) {
    KeyState& state = states_[history_.key(op)];
    state.last_write = op;
    state.seen = history_.value(op);
    if (state.seen == initial_) [[unlikely]]
      result_.writes_initial_value[state.key.index] = true;
    if (state.seen.is_nil()) [[unlikely]]
      result_.writes_nil[state.key.index] = true;
  }

  // After an own write `seen` is what it wrote, whatever the reads before it saw.
  void read_again(TransactionId t, OperationId op, Value value, KeyState& state) {
    if (state.last_write.is_none()) {
      state.varied = true;
      result_.repeated_reads.push_back({t, op, state.key});
    }
    if (value != state.seen) contradiction(t, op, value, state);
  }

  void contradiction(TransactionId t, OperationId op, Value value, const KeyState& state) {
    const OperationId contradicted = state.last_write.is_none() ? state.external_read : state.last_write;
    const bool both_initial =
        (value.is_nil() || value == initial_) && (state.seen.is_nil() || state.seen == initial_);
    if (state.last_write.is_none() && both_initial) {
      mixed_initial_reads_.push_back({ReadFault::NonRepeatable, t, op, contradicted});
      return;
    }
    const auto [fault, source] = own_write_of(t, op, value, state);
    result_.internal_faults.push_back({fault, t, op, source.is_none() ? contradicted : source});
  }

  // Whether the value is one the transaction itself wrote before or writes later, and where. Of two reads
  // before any own write, the second may have seen another's write of the same value: weak levels allow that.
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

  // Reads of nil and of initial_value() agree, unless the key's initial_value() was written by somebody.
  void judge_mixed_initial_reads() {
    for (const FaultyRead& read : mixed_initial_reads_) {
      if (result_.writes_initial_value[history_.key(read.read).index])
        result_.internal_faults.push_back(read);
    }
  }

  const History& history_;
  Budget& budget_;
  KeyStates states_;
  Value initial_;
  Footprints result_;
  std::vector<FaultyRead> mixed_initial_reads_;
};

}  // namespace

Value value_read(const History& history, OperationId op) {
  switch (history.kind(op)) {
    case OperationKind::CompareAndSet:
      return history.expected(op);
    case OperationKind::Insert:
      return Value::nil();
    default:
      return history.value(op);
  }
}

Footprints collect_footprints(const History& history, Budget& budget) {
  return Collector(history, budget).run();
}

}  // namespace serval
