#include "oracle/draft.h"

#include <algorithm>
#include <map>

#include "serval/history/history_builder.h"

namespace serval::oracle {
namespace {

Value to_value(int value) {
  if (value == kUnknown) return Value::unknown();
  return value == kNil ? Value::nil() : Value::integer(value);
}

Value to_value(const Draft::Step& step, ValuePool& pool) {
  if (step.kind != OperationKind::ReadList || step.value == kNil) return to_value(step.value);
  std::vector<Value> elements;
  for (const int element : step.list) elements.push_back(to_value(element));
  return pool.list(elements);
}

std::string key_name(int key) {
  return std::string(1, static_cast<char>(key < 3 ? 'x' + key : 'a' + key - 3));
}

// One change that makes a draft smaller. Returns false if there are no more changes of this kind at
// `index`.
using Cut = bool (*)(Draft&, std::size_t index);

bool cut_transaction(Draft& draft, std::size_t index) {
  if (index >= draft.transactions.size()) return false;
  draft.transactions.erase(draft.transactions.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

bool cut_operation(Draft& draft, std::size_t index) {
  for (Draft::Transaction& transaction : draft.transactions) {
    auto& operations = transaction.operations;
    if (index < operations.size()) {
      operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(index));
      return true;
    }
    index -= operations.size();
  }
  return false;
}

bool cut_element(Draft& draft, std::size_t index) {
  for (Draft::Transaction& transaction : draft.transactions)
    for (Draft::Step& step : transaction.operations) {
      if (index < step.list.size()) {
        step.list.erase(step.list.begin() + static_cast<std::ptrdiff_t>(index));
        return true;
      }
      index -= step.list.size();
    }
  return false;
}

bool cut_outcome(Draft& draft, std::size_t index) {
  if (index >= draft.transactions.size()) return false;
  draft.transactions[index].outcome = Outcome::Committed;
  return true;
}

bool cut_time(Draft& draft, std::size_t index) {
  if (index >= draft.transactions.size()) return false;
  draft.transactions[index].interval = {};
  return true;
}

bool same_size(const Draft& a, const Draft& b) {
  const auto weight = [](const Draft& draft) {
    std::size_t sum = 0;
    for (const Draft::Transaction& transaction : draft.transactions)
      sum += 3 + transaction.operations.size() - (transaction.outcome == Outcome::Committed ? 1 : 0) -
             (transaction.interval == Interval{} ? 1 : 0);
    for (const Draft::Transaction& transaction : draft.transactions)
      for (const Draft::Step& step : transaction.operations) sum += step.list.size();
    return sum;
  };
  return weight(a) == weight(b);
}

bool shrink_once(Draft& draft, const std::function<bool(const Draft&)>& still_fails) {
  for (const Cut cut : {cut_transaction, cut_operation, cut_element, cut_outcome, cut_time}) {
    for (std::size_t index = 0;; ++index) {
      Draft smaller = draft;
      if (!cut(smaller, index)) break;
      if (same_size(smaller, draft) || !still_fails(smaller)) continue;
      draft = std::move(smaller);
      return true;
    }
  }
  return false;
}

// Names keys and values in the order in which a listing mentions them.
class Names {
 public:
  int key(int key) { return keys_.try_emplace(key, static_cast<int>(keys_.size())).first->second; }
  int value(int key, int value) {
    if (value == kNil || value == kInitial || value == kUnknown) return value;
    auto& names = values_[key];
    return names.try_emplace(value, static_cast<int>(names.size()) + 1).first->second;
  }

 private:
  std::map<int, int> keys_;
  std::map<int, std::map<int, int>> values_;
};

void append_name(std::string& out, const Draft::Transaction& transaction, Names& names) {
  out += '[';
  for (const Draft::Step& step : transaction.operations) {
    out += static_cast<char>('a' + static_cast<int>(step.kind));
    out += std::to_string(names.key(step.key)) + ',';
    if (is_conditional(step.kind)) out += std::to_string(names.value(step.key, step.expected)) + ',';
    out += std::to_string(names.value(step.key, step.value));
    for (const int element : step.list) out += ';' + std::to_string(names.value(step.key, element));
  }
  out += ']';
  out += static_cast<char>('0' + static_cast<int>(transaction.outcome));
  if (transaction.interval != Interval{})
    out += std::to_string(transaction.interval.begin) + '-' + std::to_string(transaction.interval.end);
}

std::vector<int> sessions_of(const Draft& draft) {
  std::vector<int> sessions;
  for (const Draft::Transaction& transaction : draft.transactions)
    if (std::ranges::find(sessions, transaction.session) == sessions.end())
      sessions.push_back(transaction.session);
  return sessions;
}

std::string name_in_order(const Draft& draft, const std::vector<int>& sessions) {
  Names names;
  std::string out;
  for (const int session : sessions) {
    out += '|';
    for (const Draft::Transaction& transaction : draft.transactions)
      if (transaction.session == session) append_name(out, transaction, names);
  }
  return out;
}

}  // namespace

History Draft::freeze() const {
  HistoryBuilder builder;
  builder.set_initial_value(Value::integer(kInitial));
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const Transaction& draft = transactions[i];
    const SessionId session = builder.session(builder.values().text("s" + std::to_string(draft.session)));
    const TransactionId t =
        builder.begin_transaction(session, Value::integer(static_cast<std::int64_t>(i) + 1));
    builder.set_outcome(t, draft.outcome);
    builder.set_interval(t, draft.interval);
    for (const Step& step : draft.operations)
      builder.add(t, {.kind = step.kind,
                      .key = builder.key(builder.values().text(key_name(step.key))),
                      .value = to_value(step, builder.values()),
                      .expected = is_conditional(step.kind) ? to_value(step.expected) : Value::nil()});
  }
  return std::move(builder).freeze();
}

Draft shrink(Draft draft, const std::function<bool(const Draft&)>& still_fails) {
  while (shrink_once(draft, still_fails)) {
  }
  return draft;
}

std::string listing_name(const Draft& draft) { return name_in_order(draft, sessions_of(draft)); }

std::string canonical_name(const Draft& draft) {
  std::vector<int> sessions = sessions_of(draft);
  std::ranges::sort(sessions);
  std::string least = name_in_order(draft, sessions);
  while (std::ranges::next_permutation(sessions).found)
    least = std::min(least, name_in_order(draft, sessions));
  return least;
}

}  // namespace serval::oracle
