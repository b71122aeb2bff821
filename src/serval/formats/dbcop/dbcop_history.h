#pragma once
// The shared part of dbcop's formats: sessions of transactions of events.
// An event reads or writes a variable, and both events and transactions may have failed. Described in
// docs/formats/dbcop.md.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "serval/formats/format.h"
#include "serval/formats/register_view.h"
#include "serval/history/history_builder.h"

namespace serval {

class DbcopHistory {
 public:
  DbcopHistory() { builder_.set_initial_value(Value::integer(0)); }

  ValuePool& values() noexcept { return builder_.values(); }
  void set_fact(const std::string& name, std::string text) { builder_.set_fact(name, std::move(text)); }

  void begin_session() { session_ = builder_.session(Value::integer(sessions_++)); }
  // Requires a session.
  void begin_transaction() {
    const auto number = static_cast<std::int64_t>(builder_.transaction_count());
    transaction_ = builder_.begin_transaction(session_, Value::integer(number));
  }
  void end_transaction(Outcome outcome) { builder_.set_outcome(transaction_, outcome); }
  // The file is cut off before it says whether the transaction committed.
  void leave_open() { end_transaction(Outcome::Indeterminate); }
  void add(OperationKind kind, Value variable, Value value) {
    builder_.add(transaction_, kind, builder_.key(variable), value);
  }
  // A failed event had no effect and no result, so it is left out.
  void count_failed_event() { ++failed_; }

  History finish(const ReadOptions& options) && {
    if (failed_ > 0 && options.on_notice)
      options.on_notice(fmt::format("left out {} events that failed", failed_));
    return std::move(builder_).freeze();
  }

 private:
  HistoryBuilder builder_;
  std::int64_t sessions_ = 0;
  SessionId session_;
  TransactionId transaction_;
  std::uint64_t failed_ = 0;
};

// The metadata of a dbcop file, as facts of a History.
inline constexpr const char* kDbcopInfo = "dbcop.info";
inline constexpr const char* kDbcopStart = "dbcop.start";
inline constexpr const char* kDbcopEnd = "dbcop.end";

struct DbcopHeader {
  std::string info = "Serval", start = "1970-01-01T00:00:00+00:00", end = "1970-01-01T00:00:00+00:00";
  std::uint64_t sessions = 0, variables = 0;
  std::uint64_t transactions = 0, events = 0;  // The maximum of any session, and of any transaction.
};
inline DbcopHeader dbcop_header(const History& history, const RegisterView& view) {
  DbcopHeader header;
  header.sessions = history.session_count();
  header.variables = history.key_count();
  std::vector<RegisterStep> steps;
  for (const SessionId session : history.sessions()) {
    std::uint64_t transactions = 0;
    for (const TransactionId t : history.session_transactions(session)) {
      if (!view.contains(t)) continue;
      ++transactions;
      view.steps(t, steps);
      header.events = std::max<std::uint64_t>(header.events, steps.size());
    }
    header.transactions = std::max(header.transactions, transactions);
  }
  for (const auto& [name, text] : {std::pair{kDbcopInfo, &header.info}, std::pair{kDbcopStart, &header.start},
                                   std::pair{kDbcopEnd, &header.end}})
    if (const auto fact = history.facts().find(name); fact != history.facts().end()) *text = fact->second;
  return header;
}

inline constexpr RegisterRules kDbcopRules{.initial = RegisterRules::Initial::ZeroOnly,
                                           .integers = RegisterRules::Integers::Unsigned64,
                                           .kept_facts = "dbcop."};

}  // namespace serval
