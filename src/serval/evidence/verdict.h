#pragma once
// The answer of every checker, with its evidence. verify_witness.h re-proves it from the raw history.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "serval/base/jagged.h"
#include "serval/evidence/dependency.h"
#include "serval/evidence/list_conflict.h"
#include "serval/evidence/version_precedence.h"
#include "serval/history/history.h"
#include "serval/levels/anomaly.h"
#include "serval/levels/level.h"

namespace serval {

// One read that no level above read-uncommitted allows. `source` is the write it saw (aborted, intermediate,
// its own later one), the earlier operation of the same transaction that it contradicts, or the append that a
// list should show before another of the same transaction; none() for a value from thin air.
struct BadRead {
  TransactionId reader;
  OperationId read;
  OperationId source = OperationId::none();
};

// The same in a history with a version certificate, of one key that an operation read, changed or should
// have; none() for the result of an aggregate. `source` is the write of the version that the certificate has
// it see, or of its own transaction; none() for the initial version.
struct BadRow {
  TransactionId reader;
  OperationId op;
  KeyId key = KeyId::none();
  OperationId source = OperationId::none();
};

// How the reader behind a CommitOrder edge had seen the transaction that the edge starts from: edges of
// session order and reads-from that lead from edges[edge].from to the transaction of edges[edge].to_read.
struct VisibilityPath {
  std::size_t edge;  // Index into Cycle::edges.
  std::vector<Edge> path;
};

// Transactions that must each precede the next, and the last the first. edges[i].to == edges[i + 1].from.
struct Cycle {
  std::vector<Edge> edges;
  std::vector<VisibilityPath> visibility_paths = {};  // One for each CommitOrder edge, ascending.
};

// Two committed transactions read the same version of a key and both overwrote it, so one update is lost
// whichever comes second. `version` is the write that made the version, none() for the initial one.
struct Divergence {
  KeyId key;
  OperationId version = OperationId::none();
  struct Branch {
    TransactionId transaction;
    OperationId read, write;
  };
  Branch first, second;
};

// Which rule of the lightweight-transaction chain of one key is broken (MTC Algorithm 2).
struct ChainBreak {
  enum class Rule : std::uint8_t {
    TwoInserts,     // two inserts of one key succeeded
    TwoSuccessors,  // two operations replaced the same value
    NeverWritten,   // an operation saw a value that no operation wrote
    Unreachable,    // the value was written, but not by a chain that starts at the insert
    RealTime,       // an operation began after one that follows it in the chain had ended
  };
  Rule rule;
  KeyId key;
  OperationId first, second;  // The operations that contradict each other; second may be none().
};
std::string_view name_of(ChainBreak::Rule rule);

// Whichever way the questions are answered that reads leave open, some transactions precede themselves. Only
// the transactions that this takes are looked at; reads from others are left out, which explains less, never
// more.
struct Contradiction {
  // A question, and a case for each answer; or the end of a case.
  struct Node {
    // The end: with the answers given so far these edges go in a circle. Edges with the basis Case rest on
    // them.
    std::vector<Edge> cycle = {};
    // Without `read`: which of two writes of a key came first? cases[0] is for writes[0].
    // With `read`: which of the writes did it see, none() being the initial version? One case for each.
    OperationId read = OperationId::none();
    std::vector<OperationId> writes = {};
    std::vector<std::uint32_t> cases = {};  // Nodes, each behind the one that names it.
  };
  std::vector<Node> nodes;  // The first is where to begin.
};

using Evidence = std::variant<BadRead, Cycle, Divergence, ChainBreak, OrderConflict, DirtyUpdate,
                              VersionContradiction, Contradiction, BadRow>;

struct Anomaly {
  AnomalyKind kind;
  Evidence evidence;
};

// The level holds, and here is an execution that shows it: transactions in commit order. Aborted transactions
// and indeterminate ones that nobody saw are left out. At the snapshot levels snapshot[i] says how many
// transactions of commit_order were visible to commit_order[i]; elsewhere it is empty and each sees all
// before it. The session guarantees and pram are about the versions of each key alone: their witness is one
// order of the writers of every key, and no commit order.
struct Holds {
  Level proven;  // The level the witness is for: the one asked, or a stronger one that implies it.
  std::vector<TransactionId> commit_order;
  std::vector<std::uint32_t> snapshot;
  Jagged<TransactionId> version_order = {};  // By key, oldest first.
  // What says which versions were read and how they follow each other, where the level has no execution to
  // replay: the values that clients saw, or the certificate.
  enum class Basis : std::uint8_t { Values, Certificate } basis = Basis::Values;
  // Of writes whose value was not recorded: a read that saw what each is taken to have written. Those that
  // are not named wrote what nobody read.
  std::vector<std::pair<OperationId, OperationId>> taken_writes = {};
};

struct Violated {
  std::vector<Anomaly> anomalies;  // The strongest first; at most CheckOptions::max_anomalies.
  std::map<AnomalyKind, std::uint64_t> counts;
};

struct Undecided {
  enum class Cause : std::uint8_t {
    NoEngine,
    Precondition,
    NoTimes,
    NoTransactions,  // None that committed or may have: of the command line, not of the engines.
    EffortBudget,
    TimeBudget,
    MemoryBudget,
    Stopped
  };
  Cause cause;
  std::string reason;                // One sentence.
  std::vector<std::string> details;  // What failed where, what was proven so far, what would settle it.
  std::string phase = {};            // In which a budget ended; empty where none did.
};

using Verdict = std::variant<Holds, Violated, Undecided>;

inline bool holds(const Verdict& verdict) { return std::holds_alternative<Holds>(verdict); }
inline bool violated(const Verdict& verdict) { return std::holds_alternative<Violated>(verdict); }
inline bool undecided(const Verdict& verdict) { return std::holds_alternative<Undecided>(verdict); }

}  // namespace serval
