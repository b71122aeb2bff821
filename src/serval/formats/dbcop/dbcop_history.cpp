#include "serval/formats/dbcop/dbcop_history.h"

#include <algorithm>

namespace serval {

DbcopHeader dbcop_header(const History& history, const RegisterView& view) {
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

}  // namespace serval
