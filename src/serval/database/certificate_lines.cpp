#include "serval/database/certificate_lines.h"

#include <algorithm>

#include "serval/formats/native/jsonl_line.h"

namespace serval {

CertificateLines::CertificateLines(const Schema& schema, std::vector<LedgerEntry> ledger)
    : text_(schema), ledger_(std::move(ledger)) {
  by_id_.reserve(ledger_.size());
  for (std::uint32_t i = 0; i < ledger_.size(); ++i) {
    const LedgerEntry& entry = ledger_[i];
    if (!entry.server_transaction.empty()) by_id_.emplace(entry.server_transaction, i);
    for (const std::int64_t tag : entry.tags) by_tag_.emplace(tag, i);
  }
}

std::uint32_t CertificateLines::find(const LoggedTransaction& logged) const {
  if (const auto found = by_id_.find(logged.id); found != by_id_.end()) return found->second;
  for (const LoggedRow& row : logged.rows)
    if (const auto found = row.tag ? by_tag_.find(*row.tag) : by_tag_.end(); found != by_tag_.end())
      return found->second;
  return kForeign;
}

void CertificateLines::add(const LoggedTransaction& logged) {
  ++counts_.transactions;
  const std::uint32_t entry = find(logged);
  if (entry == kForeign)
    ++counts_.foreign_transactions;
  else if (logged.commit_timestamp || ledger_[entry].outcome == Outcome::Indeterminate)
    found_.push_back({entry, logged.id, logged.commit_timestamp});
  for (const LoggedRow& row : logged.rows) {
    const auto [place, fresh] =
        key_places_.try_emplace(std::pair(row.table, row.key), static_cast<std::uint32_t>(orders_.size()));
    if (fresh) orders_.push_back({row.table, row.key, {}});
    std::vector<std::uint32_t>& installers = orders_[place->second].entries;
    if (!installers.empty() && installers.back() == entry && entry != kForeign) continue;
    installers.push_back(entry);
    ++counts_.versions;
  }
}

void CertificateLines::put_settled(std::string& out, const LedgerEntry& entry, Outcome outcome,
                                   const Found* found) const {
  TransactionHints hints;
  if (found != nullptr) hints.commit_timestamp = found->commit_timestamp;
  if (found != nullptr && entry.server_transaction.empty()) hints.server_transaction = found->id;
  put_settled_line(out, entry.session, entry.transaction, outcome, hints, JsonBytes::Printable);
}

// A transaction whose write requests never completed may have written nothing; then the log does not
// contain it.
void CertificateLines::settle(std::string& out, Recovery::Order order) {
  std::vector<bool> logged(ledger_.size(), false);
  for (const Found& found : found_) {
    const LedgerEntry& entry = ledger_[found.entry];
    put_settled(out, entry, Outcome::Committed, &found);
    if (entry.outcome == Outcome::Indeterminate && !logged[found.entry]) ++counts_.committed;
    logged[found.entry] = true;
  }
  for (std::size_t i = 0; i < ledger_.size(); ++i) {
    const LedgerEntry& entry = ledger_[i];
    if (entry.outcome != Outcome::Indeterminate || logged[i]) continue;
    const bool has_log = order == Recovery::Order::Logged;
    const bool aborted = has_log && entry.surely_wrote && counts_.foreign_transactions == 0;
    if (aborted) put_settled(out, entry, Outcome::Aborted, nullptr);
    ++(aborted ? counts_.aborted : counts_.unsettled);
  }
}

void CertificateLines::put_order(std::string& out, const Installers& installers) const {
  std::string key;
  text_.put_key(key, installers.table, installers.key);
  put_order_start(out, key);
  bool complete = true;
  for (const std::uint32_t place : installers.entries) {
    if (place == kForeign)
      complete = false;
    else
      put_citation(out, ledger_[place].session, ledger_[place].transaction);
  }
  put_order_end(out, complete);
}

std::string CertificateLines::finish(Recovery::Order order) {
  std::string out;
  settle(out, order);
  if (order == Recovery::Order::Logged)
    for (const Installers& installers : orders_) put_order(out, installers);
  else if (counts_.foreign_transactions == 0)  // Their place among the others is not known.
    put_ordered_by_commit_line(out);
  return out;
}

}  // namespace serval
