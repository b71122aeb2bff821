#include "serval/check/certificate/certified_reads.h"

namespace serval {
namespace {

// Whether each statement had its own snapshot, according to the header.
bool has_statement_snapshots(const History& history) {
  const auto asked = history.facts().find("isolation");
  return asked != history.facts().end() &&
         (asked->second == "read-committed" || asked->second == "read-uncommitted");
}

// The version set shared by all operations of a transaction that have one. Null if there is none, if
// they differ, or if it is a list.
const VersionSet* common_set(const History& history, TransactionId t) {
  const VersionSet* common = nullptr;
  for (const OperationId op : history.operations(t)) {
    const VersionSet* set = history.certificate().version_set(op);
    if (set == nullptr) continue;
    if (common != nullptr && !(*common == *set)) return nullptr;
    common = set;
  }
  const bool listed = common != nullptr && std::holds_alternative<std::vector<SeenVersion>>(common->seen);
  return listed ? nullptr : common;
}

}  // namespace

std::vector<Anomaly> CertifiedReads::snapshot_faults(Budget& budget) const {
  std::vector<Anomaly> found;
  if (has_statement_snapshots(history_)) return found;
  for (const TransactionId t : history_.transactions()) {
    budget.poll("snapshots");
    const VersionSet* set = versions_.takes_part(t) ? common_set(history_, t) : nullptr;
    if (set == nullptr) continue;
    for (std::uint32_t i = first_read_[t.index]; i < first_read_[t.index + 1]; ++i) {
      const Read& read = reads_[i];
      const bool looks = history_.kind(read.op) != OperationKind::Insert;
      if (looks && !read.guessed && visibility_.position(*set, t, read.key) != read.position)
        found.push_back({AnomalyKind::OutsideSnapshot,
                         BadRow{t, read.op, read.key, versions_.of(read.key)[read.position].write}});
    }
    for (const CertifiedVersions::Installed& own : versions_.installed_by(t)) {
      const auto versions = versions_.of(own.key);
      if (versions[own.position - 1].value.is_nil()) continue;  // A new row.
      if (visibility_.position(*set, t, own.key) != own.position - 1)
        found.push_back({AnomalyKind::OutsideSnapshot,
                         BadRow{t, versions[own.position].write, own.key, versions[own.position - 1].write}});
    }
  }
  return found;
}

}  // namespace serval
