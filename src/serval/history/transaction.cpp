#include "serval/history/transaction.h"

namespace serval {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Committed:
      return "committed";
    case Outcome::Aborted:
      return "aborted";
    case Outcome::Indeterminate:
      return "indeterminate";
  }
  return "";
}

void TransactionHints::add(const TransactionHints& later) {
  if (later.start_timestamp) start_timestamp = later.start_timestamp;
  if (later.commit_timestamp) commit_timestamp = later.commit_timestamp;
  for (const auto member : {&TransactionHints::server_transaction, &TransactionHints::snapshot,
                            &TransactionHints::node, &TransactionHints::error})
    if (!(later.*member).empty()) this->*member = later.*member;
}

}  // namespace serval
