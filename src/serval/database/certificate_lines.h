#pragma once
// The lines of a recording with its version certificate (docs/formats/jsonl.md), built from the log of
// the database and the ledger of the sessions.
//
//   CertificateLines lines(schema, recorder.ledger());
//   lines.add(logged);                                // In commit order.
//   recorder.finish(lines.finish());
//
// A transaction is found by its id on the server, an indeterminate one also by the tags that it wrote.
// The log settles indeterminate transactions: committed if it contains them, aborted if it lacks what
// they are known to have written. Without a log, none is declared aborted. O(rows) time; memory for one
// number per row.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/database/recovery.h"
#include "serval/recording/session_log.h"
#include "serval/recording/table_text.h"
#include "serval/workload/schema.h"

namespace serval {

struct CertificateCounts {
  std::uint64_t transactions = 0;  // In the log.
  std::uint64_t versions = 0;
  std::uint64_t foreign_transactions = 0;  // In the log, wrote to the tables, not part of the run.
  std::uint64_t committed = 0, aborted = 0, unsettled = 0;  // Of the indeterminate ones.
};

class CertificateLines {
 public:
  CertificateLines(const Schema& schema, std::vector<LedgerEntry> ledger);

  void add(const LoggedTransaction& logged);
  std::string finish(Recovery::Order order = Recovery::Order::Logged);
  const CertificateCounts& counts() const noexcept { return counts_; }

 private:
  static constexpr std::uint32_t kForeign = 0xFFFFFFFFu;
  struct Installers {
    std::uint32_t table = 0;
    std::uint64_t key = 0;
    std::vector<std::uint32_t> entries;  // Of the ledger, or kForeign.
  };

  struct Found {
    std::uint32_t entry;
    std::string id;
    std::optional<std::int64_t> commit_timestamp;
  };

  std::uint32_t find(const LoggedTransaction& logged) const;
  void settle(std::string& out, Recovery::Order order);
  void put_settled(std::string& out, const LedgerEntry& entry, Outcome outcome, const Found* found) const;
  void put_order(std::string& out, const Installers& installers) const;

  TableText text_;
  std::vector<LedgerEntry> ledger_;
  absl::flat_hash_map<std::string_view, std::uint32_t> by_id_;
  absl::flat_hash_map<std::int64_t, std::uint32_t> by_tag_;  // Only indeterminate ones.
  // Transactions for which the log adds something: indeterminate ones, commit timestamps.
  std::vector<Found> found_;
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> key_places_;
  std::vector<Installers> orders_;  // In the order of their first versions.
  CertificateCounts counts_;
};

}  // namespace serval
