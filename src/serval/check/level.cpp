// The table of levels. The wording is that of docs/levels.md, which also proves each implication.
//
// Shared words. A transaction reads a key externally when it has not written the key before; "reads x from
// T1" means that an external read saw the last write of T1 to x. A commit order is a strict total order of
// the transactions, the initial versions first, that contains reads-from (and session order where the
// definition says so). The initial version counts as a write of a transaction before all others.

#include "serval/check/level.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>

#include "serval/base/contract.h"
#include "serval/base/folded_name.h"
#include "serval/base/nearest_names.h"

namespace serval {
namespace {

constexpr std::size_t kLevelCount = static_cast<std::size_t>(Level::StrictSerializable) + 1;

constexpr std::size_t index_of(Level level) { return static_cast<std::size_t>(level); }

std::vector<LevelInfo> weak_levels() {
  return {
      {.level = Level::ReadUncommitted,
       .name = "read-uncommitted",
       .aliases = {"PL-1", "RU", "mysql:read-uncommitted", "mariadb:read-uncommitted",
                   "sqlserver:read-uncommitted"},
       .definition = "Some version order per key makes write dependencies acyclic (no G0). Registers whose "
                     "version order is "
                     "not known always have one.",
       .citation = "Adya 1999, PL-1",
       .implies = {}},
      {.level = Level::ReadCommitted,
       .name = "read-committed",
       .aliases = {"PL-2", "postgres:read-committed", "mysql:read-committed", "mysql:repeatable-read",
                   "mariadb:read-committed", "mariadb:repeatable-read", "oracle:read-committed",
                   "sqlserver:read-committed", "cockroachdb:read-committed"},
       .definition = "Every external read sees the last write of a committed transaction (no G1a, G1b), "
                     "every other read the "
                     "transaction's own last write, and some version order per key makes write and read "
                     "dependencies acyclic "
                     "(no G0, G1c).",
       .citation = "Adya 1999, PL-2",
       .implies = {Level::ReadUncommitted}},
      {.level = Level::MonotonicAtomicView,
       .name = "monotonic-atomic-view",
       .aliases = {"MAV"},
       .definition = "Read-committed, and once a transaction has read from T2, its later external reads of "
                     "keys that T2 wrote "
                     "see T2's version or a later one.",
       .citation = "Bailis et al. 2014 (Highly Available Transactions)",
       .implies = {Level::ReadCommitted}},
      {.level = Level::ReadCommittedMonotonic,
       .name = "read-committed-monotonic",
       .aliases = {"RC", "committed-read", "biswas-enea:read-committed"},
       .definition = "Some commit order that contains session order puts T2 before T1 whenever a transaction "
                     "reads from T2 and "
                     "afterwards reads x from T1, where T2 also wrote x.",
       .citation = "Biswas & Enea 2019, Read Committed",
       .implies = {Level::MonotonicAtomicView}},
  };
}

std::vector<LevelInfo> session_levels() {
  return {
      {.level = Level::MonotonicReads,
       .name = "monotonic-reads",
       .aliases = {"MR"},
       .definition = "Some version order per key lets no session lose what it has seen: when a transaction "
                     "read from T2, later "
                     "transactions of its session read T2's keys from T2 or from later versions.",
       .citation = "Terry et al. 1994",
       .implies = {}},
      {.level = Level::MonotonicWrites,
       .name = "monotonic-writes",
       .aliases = {"MW"},
       .definition = "Some version order per key shows a session's writes in their order: whoever reads from "
                     "a transaction "
                     "reads the keys that T2, earlier in that transaction's session, wrote from T2 or from "
                     "later versions.",
       .citation = "Terry et al. 1994",
       .implies = {}},
      {.level = Level::ReadYourWrites,
       .name = "read-your-writes",
       .aliases = {"RYW", "read-my-writes"},
       .definition = "Some version order per key lets every transaction read the keys that T2, earlier in "
                     "its session, wrote "
                     "from T2 or from later versions.",
       .citation = "Terry et al. 1994",
       .implies = {}},
      {.level = Level::WritesFollowReads,
       .name = "writes-follow-reads",
       .aliases = {"WFR", "session-causality"},
       .definition = "Some version order per key shows with a write what its session had read before: when a "
                     "transaction read "
                     "from T2, whoever reads from a later transaction of its session reads T2's keys from T2 "
                     "or from later "
                     "versions.",
       .citation = "Terry et al. 1994",
       .implies = {}},
  };
}

std::vector<LevelInfo> atomic_levels() {
  return {
      {.level = Level::ReadAtomic,
       .name = "read-atomic",
       .aliases = {"RA", "atomic-read", "biswas-enea:read-atomic"},
       .definition = "Some commit order that contains session order puts T2 before T1 whenever T3 reads x "
                     "from T1, T2 wrote x, "
                     "and T3 reads from T2 or follows it in its session; all external reads of one key in a "
                     "transaction agree.",
       .citation = "Bailis et al. 2014 (RAMP); with session order: Biswas & Enea 2019, Read Atomic",
       .implies = {Level::ReadCommittedMonotonic, Level::ReadYourWrites}},
      {.level = Level::RepeatableRead,
       .name = "repeatable-read",
       .aliases = {"PL-2.99", "sqlserver:repeatable-read"},
       .definition = "Read-committed, and the same version order leaves no cycle with anti-dependencies of "
                     "items (no G2-item); "
                     "anti-dependencies of predicates are allowed. Without predicate operations it equals "
                     "serializable.",
       .citation = "Adya 1999, PL-2.99",
       .implies = {Level::MonotonicAtomicView}},
      {.level = Level::Causal,
       .name = "causal",
       .aliases = {"CC", "TCC", "causal-consistency", "transactional-causal-consistency",
                   "biswas-enea:causal"},
       .definition = "Some commit order that contains session order puts T2 before T1 whenever T3 reads x "
                     "from T1, T2 wrote x, "
                     "and session order and reads-from lead from T2 to T3.",
       .citation = "Biswas & Enea 2019, Causal; Cerone, Bernardi & Gotsman 2015",
       .implies = {Level::ReadAtomic, Level::MonotonicReads, Level::MonotonicWrites,
                   Level::WritesFollowReads}},
      {.level = Level::PrefixConsistency,
       .name = "prefix-consistency",
       .aliases = {"PC", "prefix", "prefix-consistent", "consistent-prefix", "biswas-enea:prefix"},
       .definition = "Some commit order that contains session order lets every transaction see a prefix of "
                     "it: T2 comes before "
                     "T1 whenever T3 reads x from T1, T2 wrote x, and T2 is, or comes before, a transaction "
                     "that T3 reads from "
                     "or follows in its session.",
       .citation = "Burckhardt et al. 2015; Biswas & Enea 2019, Prefix",
       .implies = {Level::Causal}},
  };
}

std::vector<LevelInfo> snapshot_levels() {
  return {
      {.level = Level::SnapshotIsolation,
       .name = "snapshot-isolation",
       .aliases = {"PL-SI", "postgres:repeatable-read", "oracle:serializable", "sqlserver:snapshot",
                   "cockroachdb:repeatable-read", "yugabytedb:repeatable-read", "mongodb:snapshot"},
       .definition =
           "Some commit order gives every transaction a snapshot, a prefix of the order before it, from "
           "which all its "
           "external reads come, and of two transactions that write one key the later has the earlier in its "
           "snapshot. Session order is not used.",
       .citation = "Berenson et al. 1995; Adya 1999, PL-SI; Cerone & Gotsman 2018; Crooks et al. 2017",
       .implies = {Level::MonotonicAtomicView}},
      {.level = Level::StrongSessionSnapshotIsolation,
       .name = "strong-session-snapshot-isolation",
       .aliases = {"SI", "strong-session-SI", "biswas-enea:snapshot-isolation"},
       .definition = "Snapshot-isolation where every snapshot holds all earlier transactions of its session. "
                     "What PolySI, "
                     "Viper with sessions and MTC call SI.",
       .citation = "Daudjee & Salem 2006; Cerone & Gotsman 2018; Biswas & Enea 2019, Snapshot Isolation",
       .implies = {Level::SnapshotIsolation, Level::PrefixConsistency}},
      {.level = Level::StrongSnapshotIsolation,
       .name = "strong-snapshot-isolation",
       .aliases = {"strong-SI"},
       .definition =
           "Snapshot-isolation where every snapshot holds all earlier transactions of its session and all "
           "transactions that ended before it began.",
       .citation = "Daudjee & Salem 2006",
       .implies = {Level::StrongSessionSnapshotIsolation}},
  };
}

std::vector<LevelInfo> serializable_levels() {
  return {
      {.level = Level::Serializable,
       .name = "serializable",
       .aliases = {"PL-3", "serializability", "conflict-serializable", "postgres:serializable",
                   "mysql:serializable", "mariadb:serializable", "sqlserver:serializable",
                   "sqlite:serializable", "cockroachdb:serializable", "yugabytedb:serializable"},
       .definition = "Some serial order of the transactions gives every read the value it saw. Neither "
                     "session order nor real "
                     "time is used.",
       .citation = "Papadimitriou 1979; Adya 1999, PL-3",
       .implies = {Level::SnapshotIsolation, Level::RepeatableRead}},
      {.level = Level::StrongSessionSerializable,
       .name = "strong-session-serializable",
       .aliases = {"SER", "strong-session-SER", "strong-session-1SR", "biswas-enea:serializable"},
       .definition =
           "Serializable by a serial order that contains session order. What Cobra, dbcop and MTC call SER.",
       .citation = "Daudjee & Salem 2006; Biswas & Enea 2019, Serializability",
       .implies = {Level::Serializable, Level::StrongSessionSnapshotIsolation}},
      {.level = Level::Linearizable,
       .name = "linearizable",
       .aliases = {"LIN", "linearizability"},
       .definition = "For transactions of a single operation: some serial order that contains real-time "
                     "order gives every read "
                     "the value it saw. A client's own order counts as far as the times show it.",
       .citation = "Herlihy & Wing 1990",
       .implies = {Level::Serializable}},
      {.level = Level::StrictSerializable,
       .name = "strict-serializable",
       .aliases = {"SSER", "PL-SS", "strict", "strict-serializability", "strong-serializable",
                   "external-consistency"},
       .definition = "Serializable by a serial order that contains session order and real-time order.",
       .citation = "Papadimitriou 1979; Herlihy & Wing 1990; Adya 1999, PL-SS",
       .implies = {Level::StrongSessionSerializable, Level::StrongSnapshotIsolation, Level::Linearizable}},
  };
}

const std::vector<LevelInfo>& table() {
  static const std::vector<LevelInfo> levels = [] {
    std::vector<LevelInfo> rows = weak_levels();
    for (auto* part : {session_levels, atomic_levels, snapshot_levels, serializable_levels})
      for (LevelInfo& row : part()) rows.push_back(std::move(row));
    for (std::size_t i = 0; i < rows.size(); ++i)
      expects(index_of(rows[i].level) == i,
              "the rows of the level table are in the order of the enumeration");
    expects(rows.size() == kLevelCount, "one row a level");
    return rows;
  }();
  return levels;
}

using LevelSet = std::bitset<kLevelCount>;

// Rows come weakest first, so one pass suffices.
const std::array<LevelSet, kLevelCount>& closure() {
  static const std::array<LevelSet, kLevelCount> sets = [] {
    std::array<LevelSet, kLevelCount> reached;
    for (const LevelInfo& row : table()) {
      LevelSet& set = reached[index_of(row.level)];
      set.set(index_of(row.level));
      for (const Level weaker : row.implies) {
        expects(weaker < row.level, "a level implies only levels above it in the table");
        set |= reached[index_of(weaker)];
      }
    }
    return reached;
  }();
  return sets;
}

const std::map<std::string, Level>& names() {
  static const std::map<std::string, Level> by_name = [] {
    std::map<std::string, Level> out;
    const auto add = [&out](std::string_view name, Level level) {
      expects(out.emplace(folded_name(name), level).second, "names and aliases of levels are unique");
    };
    for (const LevelInfo& row : table()) {
      add(row.name, row.level);
      for (const std::string_view alias : row.aliases) add(alias, row.level);
    }
    return out;
  }();
  return by_name;
}

}  // namespace

std::span<const LevelInfo> all_levels() { return table(); }

const LevelInfo& info(Level level) { return table().at(index_of(level)); }

std::string_view name_of(Level level) { return info(level).name; }

std::optional<Level> find_level(std::string_view name) {
  const auto found = names().find(folded_name(name));
  return found == names().end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string_view> suggest_levels(std::string_view misspelled) {
  std::vector<std::string_view> candidates;
  for (const auto& [folded, level] : names()) candidates.push_back(folded);
  std::vector<std::string_view> suggestions;
  for (const std::string_view near : nearest_names(folded_name(misspelled), candidates)) {
    const std::string_view name = name_of(names().at(std::string(near)));
    if (std::ranges::find(suggestions, name) == suggestions.end()) suggestions.push_back(name);
  }
  return suggestions;
}

bool implies(Level stronger, Level weaker) { return closure()[index_of(stronger)][index_of(weaker)]; }

bool uses_session_order(Level level) {
  switch (level) {
    case Level::ReadUncommitted:
    case Level::ReadCommitted:
    case Level::MonotonicAtomicView:
    case Level::RepeatableRead:
    case Level::SnapshotIsolation:
    case Level::Serializable:
    case Level::Linearizable:
      return false;
    default:
      return true;
  }
}

bool uses_real_time(Level level) {
  return level == Level::StrongSnapshotIsolation || level == Level::Linearizable ||
         level == Level::StrictSerializable;
}

}  // namespace serval
