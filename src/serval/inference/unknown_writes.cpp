#include "serval/inference/unknown_writes.h"

#include <algorithm>
#include <deque>
#include <map>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/history/changed_history.h"
#include "serval/inference/key_kinds.h"
#include "serval/inference/key_states.h"
#include "serval/inference/read_write_sets.h"

namespace serval {
namespace {

// What a transaction has done to one key so far.
struct KeyState {
  KeyId key;
  OperationId last_write = OperationId::none();
  bool revealed = false;  // A read has shown what the last write wrote.
};

}  // namespace

UnknownWrites::UnknownWrites(const History& history, Budget& budget) : history_(history) {
  if (std::ranges::find(history.value_column(), Value::unknown()) == history.value_column().end()) return;
  uncertain_.assign(history.key_count(), false);
  look_at_operations(budget);
  if (!any()) return;
  const auto certain = [&](OperationId op) { return !uncertain_[history.key(op).index]; };
  std::erase_if(external_reads_, certain);
  std::erase_if(known_last_, certain);
  find_open_keys();
  count_guesses();
}

void UnknownWrites::look_at_operations(Budget& budget) {
  KeyStates<KeyState> states(history_.key_count());
  for (const TransactionId t : history_.transactions()) {
    budget.poll("writes of unknown values");
    if (history_.outcome(t) == Outcome::Aborted) continue;
    states.clear();
    for (const OperationId op : history_.operations(t)) {
      const OperationKind kind = history_.kind(op);
      if (is_predicate(kind)) continue;
      KeyState& state = states[history_.key(op)];
      if (reads_register(kind) && state.last_write.is_none()) external_reads_.push_back(op);
      const bool tells = reads_register(kind) && !value_seen(history_, op).is_unknown();
      const bool asks = !state.last_write.is_none() && history_.value(state.last_write).is_unknown();
      if (tells && asks && !std::exchange(state.revealed, true)) revealed_.emplace_back(state.last_write, op);
      if (!writes_register(kind)) continue;
      state.last_write = op;
      state.revealed = false;
      if (history_.value(op).is_unknown()) writes_.push_back(op);
    }
    for (const KeyState& state : states.all()) {
      if (state.last_write.is_none()) continue;
      const bool unknown = history_.value(state.last_write).is_unknown();
      (unknown ? last_ : known_last_).push_back(state.last_write);
      if (unknown) uncertain_[state.key.index] = true;
    }
  }
  std::ranges::sort(revealed_);
}

// External reads of values that nobody is known to have left behind.
void UnknownWrites::find_open_keys() {
  absl::flat_hash_map<std::pair<KeyId, Value>, TransactionId> left;  // none(): by several.
  const auto leave = [&](OperationId write, Value value) {
    const auto [found, first] =
        left.try_emplace({history_.key(write), value}, history_.transaction_of(write));
    if (!first) found->second = TransactionId::none();
  };
  std::map<KeyId, OpenKey> open;
  for (const OperationId write : known_last_) leave(write, history_.value(write));
  for (const OperationId write : last_) {
    const auto revealed = std::ranges::lower_bound(revealed_, write, {}, &TakenWrite::first);
    if (revealed != revealed_.end() && revealed->first == write)
      leave(write, value_seen(history_, revealed->second));
    else
      open[history_.key(write)].writes.push_back(write);
  }
  absl::flat_hash_set<std::pair<KeyId, Value>> wanted;
  for (const OperationId read : external_reads_) {
    const std::pair what(history_.key(read), value_seen(history_, read));
    const bool initial = what.second.is_nil() || what.second == history_.initial_value();
    if (initial || what.second.is_unknown() || !open.contains(what.first)) continue;
    const auto source = left.find(what);
    const bool by_others = source != left.end() && source->second != history_.transaction_of(read);
    if (!by_others && wanted.insert(what).second) open[what.first].reads.push_back(read);
  }
  for (auto& [key, one] : open) open_.push_back(std::move(one));
}

History UnknownWrites::without_uncertain_reads() const {
  std::vector<ChangedOperation> changes;
  for (const OperationId op : external_reads_) {
    const OperationKind kind = history_.kind(op);
    changes.push_back({.op = op,
                       .kind = kind == OperationKind::Insert ? OperationKind::Write : kind,
                       .value = writes_register(kind) ? history_.value(op) : Value::unknown(),
                       .expected = is_conditional(kind) ? Value::unknown() : Value::nil()});
  }
  return with_changes(history_, changes);
}

// Counts the ways to assign every key's values to its writers, up to a limit.
void UnknownWrites::count_guesses() {
  for (const OpenKey& one : open_) {
    std::size_t ways = 1;
    const std::size_t given = std::min(one.reads.size(), one.writes.size());
    for (std::size_t i = 0; i < given && ways < kMaxGuesses; ++i) ways *= one.writes.size() - i;
    guesses_ = std::max(guesses_, std::min(ways, kMaxGuesses));
  }
}

// In history order; further guesses start with another writer.
std::vector<TakenWrite> UnknownWrites::guess(std::size_t number) const {
  std::vector<TakenWrite> taken = revealed_;
  for (const OpenKey& one : open_) {
    std::deque<OperationId> free(one.writes.begin(), one.writes.end());
    std::size_t step = number;
    for (const OperationId read : one.reads) {
      const std::size_t near = std::min(free.size(), kMaxGuesses);
      if (near == 0) break;
      for (std::size_t tries = 0; tries < near; ++tries) {
        const auto chosen = free.begin() + static_cast<std::ptrdiff_t>((step + tries) % near);
        if (history_.transaction_of(*chosen) == history_.transaction_of(read)) continue;
        taken.emplace_back(*chosen, read);
        free.erase(chosen);
        break;
      }
      step /= near;
    }
  }
  std::ranges::sort(taken);
  return taken;
}

History UnknownWrites::with_values(const std::vector<TakenWrite>& taken) const {
  const std::vector<Value> unused = unused_values(history_, writes_.size());
  std::vector<ChangedOperation> changes;
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    const OperationId write = writes_[i];
    const auto found = std::ranges::lower_bound(taken, write, {}, &TakenWrite::first);
    const bool named = found != taken.end() && found->first == write;
    changes.push_back({.op = write,
                       .kind = history_.kind(write),
                       .value = named ? value_seen(history_, found->second) : unused[i],
                       .expected = history_.expected(write)});
  }
  return with_changes(history_, changes);
}

}  // namespace serval
