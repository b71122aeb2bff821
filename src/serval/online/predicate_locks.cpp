#include "serval/online/predicate_locks.h"

#include "serval/predicate/query.h"

namespace serval::online {
namespace {

// The table of all columns; empty if there is none or more than one.
std::string table_of(const Region& region) {
  std::string table;
  for (const std::string& column : region.columns) {
    const std::size_t dot = column.rfind('.');
    if (dot == std::string::npos) return {};
    if (table.empty()) table = column.substr(0, dot);
    if (table != column.substr(0, dot)) return {};
  }
  return table;
}

}  // namespace

std::optional<RegionLock> region_lock_of(const Record& record) {
  if (record.predicate == nullptr || record.predicate->literals == nullptr) return std::nullopt;
  RegionLock out;
  out.region = region_of(query_of(record.predicate->tree, *record.predicate->literals).where);
  out.table = table_of(out.region);
  if (out.table.empty() || out.region.empty()) return std::nullopt;
  out.lock.acquire = record.time;
  return out;
}

bool PredicateLocks::contradict(const RegionLock& first, const RegionLock& second) {
  if (!first.holds || !second.waits || first.lock.transaction == second.lock.transaction) return false;
  if (!conflict(first.lock.mode, second.lock.mode) || first.table != second.table) return false;
  const bool within = certainly_before(first.lock.acquire, second.lock.acquire) &&
                      second.lock.acquire.end < first.lock.release.begin;
  if (!within) return false;
  const Relation relation = relate(second.region, first.region);
  return relation == Relation::Identical || relation == Relation::Subsumes;
}

}  // namespace serval::online
