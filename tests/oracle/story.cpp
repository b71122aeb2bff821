#include "oracle/story.h"

#include <algorithm>

#include "serval/base/contract.h"

namespace serval::oracle {
namespace {

std::size_t index_of(int id) { return static_cast<std::size_t>(id); }

std::optional<Value> value_seen(const History& history, OperationId op) {
  const auto known = [](Value value) { return value.is_unknown() ? std::nullopt : std::optional(value); };
  switch (history.kind(op)) {
    case OperationKind::Read:
    case OperationKind::InsertMiss:
    case OperationKind::CompareAndSetMiss:
      return known(history.value(op));
    case OperationKind::CompareAndSet:
      return known(history.expected(op));
    case OperationKind::Insert:
      return Value::nil();
    default:
      return std::nullopt;
  }
}

std::optional<Value> value_left(const History& history, OperationId op) {
  switch (history.kind(op)) {
    case OperationKind::Write:
    case OperationKind::Insert:
    case OperationKind::CompareAndSet:
    case OperationKind::Append:
      return history.value(op);
    case OperationKind::Delete:
      return Value::nil();
    default:
      return std::nullopt;
  }
}

std::optional<Values> list_shown(const History& history, OperationId op) {
  const Value value = history.value(op);
  if (history.kind(op) != OperationKind::ReadList || value.is_unknown()) return std::nullopt;
  if (value.is_nil()) return Values{};
  const auto elements = history.values().elements(value);
  return Values(elements.begin(), elements.end());
}

std::vector<Action> actions_of(const History& history, TransactionId t, std::vector<bool>& writes) {
  std::vector<Action> actions;
  for (const OperationId op : history.operations(t)) {
    const std::size_t key = history.key(op).index;
    Action action{.key = static_cast<int>(key),
                  .external = !writes[key],
                  .seen = value_seen(history, op),
                  .shown = list_shown(history, op),
                  .left = value_left(history, op)};
    if (action.left) {
      for (Action& before : actions)
        if (before.key == action.key) before.last = false;
      action.last = writes[key] = true;
    }
    actions.push_back(std::move(action));
  }
  return actions;
}

bool ended_before(const History& history, TransactionId a, TransactionId b) {
  return history.outcome(a) == Outcome::Committed && history.interval(a).end < history.interval(b).begin;
}

bool earlier_in_session(const History& history, TransactionId a, TransactionId b) {
  if (a == b || history.session(a) != history.session(b)) return false;
  const auto order = history.session_transactions(history.session(a));
  return std::ranges::find(order, a) < std::ranges::find(order, b);
}

// What a read shows of other transactions' writes: one value of a register, or every element of a list.
Values values_shown(const Action& read) {
  if (read.shown) return *read.shown;
  return read.seen && read.external ? Values{*read.seen} : Values{};
}

// Others can see only the last write of a register; a list keeps every element.
bool left_behind(const Story& story, int writer, int key, Value value) {
  const auto matches = [&](const Action& action) {
    return action.key == key && action.left == value && (action.last || story.is_list[index_of(key)]);
  };
  return std::ranges::any_of(story.actions[index_of(writer)], matches);
}

// If a transaction that is not aborted left the value, then a participant did.
bool is_explained(const Story& story, const Participants& participants, const Action& read, Value value) {
  bool somebody = false;
  for (int writer = 0; writer < story.transactions; ++writer) {
    if (story.outcomes[index_of(writer)] == Outcome::Aborted) continue;
    if (!left_behind(story, writer, read.key, value)) continue;
    if (participants[index_of(writer)]) return true;
    somebody = true;
  }
  return !somebody || (read.seen && story.may_be_initial(value));
}

bool explains_its_reads(const Story& story, const Participants& participants) {
  for (int t = 0; t < story.transactions; ++t) {
    if (!participants[index_of(t)]) continue;
    for (const Action& read : story.actions[index_of(t)])
      for (const Value value : values_shown(read))
        if (!is_explained(story, participants, read, value)) return false;
  }
  return true;
}

// Whether a participant may have seen something that `writer` left.
bool is_seen(const Story& story, const Participants& participants, int writer) {
  for (int t = 0; t < story.transactions; ++t) {
    if (!participants[index_of(t)] || t == writer) continue;
    for (const Action& read : story.actions[index_of(t)])
      for (const Value value : values_shown(read))
        if (left_behind(story, writer, read.key, value)) return true;
  }
  return false;
}

// Whether the participants are exactly the committed transactions, those that they may have seen, and so
// on.
bool is_seen_from_the_committed(const Story& story, const Participants& participants) {
  Participants reached(participants.size(), false);
  for (std::size_t t = 0; t < reached.size(); ++t) reached[t] = story.outcomes[t] == Outcome::Committed;
  for (bool grows = true; grows;) {
    grows = false;
    for (int t = 0; t < story.transactions; ++t)
      if (participants[index_of(t)] && !reached[index_of(t)] && is_seen(story, reached, t))
        grows = reached[index_of(t)] = true;
  }
  return reached == participants;
}

}  // namespace

void Relation::add(const Relation& other) {
  for (std::size_t row = 0; row < rows_.size(); ++row) rows_[row] |= other.rows_[row];
}

void Relation::close() {
  for (std::size_t via = 0; via < rows_.size(); ++via)
    for (std::size_t from = 0; from < rows_.size(); ++from)
      if ((rows_[from] >> via & 1U) != 0) rows_[from] |= rows_[via];
}

bool Relation::has_cycle() const {
  for (std::size_t id = 0; id < rows_.size(); ++id)
    if ((rows_[id] >> id & 1U) != 0) return true;
  return false;
}

Story::Story(const History& history)
    : transactions(static_cast<int>(history.transaction_count())),
      keys(static_cast<int>(history.key_count())),
      is_list(history.key_count(), false),
      session_order(transactions),
      real_time(transactions),
      initial_value(history.initial_value()) {
  expects(transactions <= 16, "a handful of transactions");
  std::vector<bool> is_register(history.key_count(), false);
  for (const TransactionId t : history.transactions()) {
    outcomes.push_back(history.outcome(t));
    writes.emplace_back(history.key_count(), false);
    actions.push_back(actions_of(history, t, writes.back()));
    for (const OperationId op : history.operations(t)) {
      const OperationKind kind = history.kind(op);
      expects(!is_predicate(kind), "no predicates");
      const bool of_list = kind == OperationKind::Append || kind == OperationKind::ReadList;
      (of_list ? is_list : is_register)[history.key(op).index] = true;
    }
    for (const TransactionId other : history.transactions()) {
      const int a = static_cast<int>(t.index), b = static_cast<int>(other.index);
      if (earlier_in_session(history, t, other)) session_order.add(a, b);
      if (t != other && ended_before(history, t, other)) real_time.add(a, b);
    }
  }
  for (std::size_t key = 0; key < is_list.size(); ++key)
    expects(!is_list[key] || !is_register[key], "a key is a list or a register");
}

std::vector<Participants> all_participants(const Story& story) {
  std::vector<Participants> all{{}};
  for (const Outcome outcome : story.outcomes) {
    std::vector<Participants> longer;
    for (Participants participants : all) {
      participants.push_back(outcome == Outcome::Committed);
      longer.push_back(participants);
      if (outcome != Outcome::Indeterminate) continue;
      participants.back() = true;
      longer.push_back(participants);
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<Participants> counted_participants(const Story& story) {
  std::vector<Participants> counted;
  for (const Participants& participants : all_participants(story))
    if (explains_its_reads(story, participants) && is_seen_from_the_committed(story, participants))
      counted.push_back(participants);
  return counted;
}

std::vector<int> possible_sources(const Story& story, const Participants& participants, int reader,
                                  const Action& read) {
  std::vector<int> sources;
  if (story.may_be_initial(*read.seen)) sources.push_back(kInitially);
  for (int writer = 0; writer < story.transactions; ++writer) {
    if (writer == reader || !participants[index_of(writer)]) continue;
    for (const Action& action : story.actions[index_of(writer)])
      if (action.key == read.key && action.last && *action.left == *read.seen) sources.push_back(writer);
  }
  return sources;
}

}  // namespace serval::oracle
