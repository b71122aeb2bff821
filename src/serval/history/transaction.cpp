#include "serval/history/transaction.h"

#include <array>

namespace serval {

std::string_view name_of(Outcome outcome) {
  static constexpr std::array<std::string_view, 3> kNames{"committed", "aborted", "indeterminate"};
  return kNames[static_cast<std::size_t>(outcome)];
}

void TransactionHints::add(const TransactionHints& later) {
  if (later.start_timestamp) start_timestamp = later.start_timestamp;
  if (later.commit_timestamp) commit_timestamp = later.commit_timestamp;
  for (const auto member : {&TransactionHints::server_transaction, &TransactionHints::snapshot,
                            &TransactionHints::node, &TransactionHints::error})
    if (!(later.*member).empty()) this->*member = later.*member;
}

}  // namespace serval
