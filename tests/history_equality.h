#pragma once
// Are two histories the same? Compares every member by exact spelling, so that histories with different value
// pools and different dense ids can be equal. Sessions are matched by label, transactions by their place in
// the session; keys that no operation uses do not count.
//
//   EXPECT_EQ(difference(written, read_back), "");        // "" or the first difference, in words
//   EXPECT_EQ(transaction_order(written), transaction_order(read_back));

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

// A spelling that also distinguishes kinds: the text 1.5 and the number 1.5 differ.
inline std::string exact_spelling(const ValuePool& pool, Value value) {
  std::string out(1, "INUDTBRL"[static_cast<std::size_t>(value.kind())]);
  switch (value.kind()) {
    case Value::Kind::Integer:
      return out + std::to_string(value.as_integer());
    case Value::Kind::Boolean:
      return out + (value.as_boolean() ? "1" : "0");
    case Value::Kind::Nil:
    case Value::Kind::Unknown:
      return out;
    case Value::Kind::Number:
    case Value::Kind::Text:
    case Value::Kind::Row:
      return out + "'" + std::string(pool.characters(value)) + "'";
    case Value::Kind::List:
      break;
  }
  for (const Value element : pool.elements(value)) out += " " + exact_spelling(pool, element);
  return out + ".";
}

inline std::string exact_spelling(const ValuePool& pool, const Predicate& tree) {
  std::string out = "(" + std::to_string(static_cast<int>(tree.node)) + " '" + tree.name + "' " +
                    exact_spelling(pool, tree.literal);
  for (const Predicate& child : tree.children) out += exact_spelling(pool, child);
  return out + ")";
}

inline std::string exact_spelling(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "-";
}

inline std::string exact_spelling(Interval time) {
  return std::to_string(time.begin) + ".." + std::to_string(time.end);
}

inline std::string exact_spelling(TransactionId t) { return t.is_none() ? "-" : std::to_string(t.index); }

inline std::string exact_spelling(const History& history, const VersionSet& set) {
  if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen)) return std::to_string(*timestamp);
  if (const auto* snapshot = std::get_if<TransactionSnapshot>(&set.seen)) return snapshot->format();
  std::string out = "versions";
  for (const SeenVersion& version : std::get<std::vector<SeenVersion>>(set.seen))
    out += " " + exact_spelling(history.values(), history.key_value(version.key)) + "=" +
           exact_spelling(version.installer);
  return out;
}

// The version orders of the keys, which may have been recorded in any order.
inline std::vector<std::string> exact_orders(const History& history) {
  std::vector<std::string> out;
  for (const KeyOrder& order : history.certificate().orders) {
    out.push_back(exact_spelling(history.values(), history.key_value(order.key)));
    for (const TransactionId t : order.installers) out.back() += " " + exact_spelling(t);
    out.back() += order.complete ? " complete" : "";
  }
  std::ranges::sort(out);
  return out;
}

inline std::string exact_spelling(const History& history, OperationId id) {
  const Operation op = history.operation(id);
  const ValuePool& pool = history.values();
  const auto key = [&](KeyId k) { return k.is_none() ? "none" : exact_spelling(pool, history.key_value(k)); };
  std::string out = std::string(name_of(op.kind)) + " key " + key(op.key) + " value " +
                    exact_spelling(pool, op.value) + " expected " + exact_spelling(pool, op.expected) +
                    " time " + exact_spelling(op.time) + " predicate ";
  out += op.predicate.is_none() ? "none" : exact_spelling(pool, history.predicate(op.predicate));
  for (const Row& row : op.rows) out += " row " + key(row.key) + "=" + exact_spelling(pool, row.value);
  if (const VersionSet* seen = history.certificate().version_set(id))
    out += " saw " + exact_spelling(history, *seen);
  return out + " version " + exact_spelling(op.version) + " matched " + exact_spelling(op.rows_matched) +
         " changed " + exact_spelling(op.rows_changed);
}

// Everything of a transaction except its operations.
inline std::string exact_spelling(const History& history, TransactionId t) {
  std::string out = exact_spelling(history.values(), history.label(t)) + " " +
                    std::string(name_of(history.outcome(t))) + " " + exact_spelling(history.interval(t));
  const TransactionHints none;
  const TransactionHints& hints = history.hints(t) != nullptr ? *history.hints(t) : none;
  return out + " start " + exact_spelling(hints.start_timestamp) + " commit " +
         exact_spelling(hints.commit_timestamp) + " server '" + hints.server_transaction + "' snapshot '" +
         hints.snapshot + "' node '" + hints.node + "' error '" + hints.error + "'";
}

// Session and label of every transaction, in the order of their ids.
inline std::vector<std::string> transaction_order(const History& history) {
  std::vector<std::string> out;
  for (const TransactionId t : history.transactions()) {
    out.push_back(exact_spelling(history.values(), history.session_label(history.session(t))) + " " +
                  exact_spelling(history.values(), history.label(t)));
  }
  return out;
}

inline std::string difference(const History& a, TransactionId in_a, const History& b, TransactionId in_b) {
  const auto differ = [](const std::string& left, const std::string& right) {
    return left == right ? std::string() : "\n  " + left + "\n  " + right;
  };
  if (const std::string found = differ(exact_spelling(a, in_a), exact_spelling(b, in_b)); !found.empty())
    return found;
  const auto operations_a = a.operations(in_a), operations_b = b.operations(in_b);
  if (operations_a.size() != operations_b.size())
    return std::to_string(operations_a.size()) + " and " + std::to_string(operations_b.size()) +
           " operations";
  for (std::uint32_t i = 0; i < operations_a.size(); ++i) {
    const std::string found = differ(exact_spelling(a, operations_a[i]), exact_spelling(b, operations_b[i]));
    if (!found.empty()) return "operation " + std::to_string(i) + ":" + found;
  }
  return "";
}

inline std::string difference(const History& a, const History& b) {
  if (exact_spelling(a.values(), a.initial_value()) != exact_spelling(b.values(), b.initial_value()))
    return "initial values " + a.format(a.initial_value()) + " and " + b.format(b.initial_value());
  if (a.facts() != b.facts()) return "the facts differ";
  if (exact_orders(a) != exact_orders(b)) return "the version orders differ";
  if (a.certificate().ordered_by_commit != b.certificate().ordered_by_commit)
    return "one is not ordered by commit";
  if (a.session_count() != b.session_count())
    return std::to_string(a.session_count()) + " and " + std::to_string(b.session_count()) + " sessions";
  std::map<std::string, SessionId> sessions_of_b;
  for (const SessionId s : b.sessions()) sessions_of_b[exact_spelling(b.values(), b.session_label(s))] = s;
  for (const SessionId s : a.sessions()) {
    const auto other = sessions_of_b.find(exact_spelling(a.values(), a.session_label(s)));
    const std::string name = "session " + a.format(a.session_label(s));
    if (other == sessions_of_b.end()) return name + " is missing";
    const auto in_a = a.session_transactions(s), in_b = b.session_transactions(other->second);
    if (in_a.size() != in_b.size())
      return name + ": " + std::to_string(in_a.size()) + " and " + std::to_string(in_b.size()) +
             " transactions";
    for (std::size_t i = 0; i < in_a.size(); ++i) {
      const std::string found = difference(a, in_a[i], b, in_b[i]);
      if (!found.empty()) return name + " transaction " + std::to_string(i) + ": " + found;
    }
  }
  return "";
}

}  // namespace serval
