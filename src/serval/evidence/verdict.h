#pragma once
// The answer of every checker, with its evidence. verify_witness.h re-proves it from the raw history.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "serval/base/jagged.h"
#include "serval/evidence/broken_order.h"
#include "serval/evidence/dependency.h"
#include "serval/evidence/list_conflict.h"
#include "serval/evidence/version_precedence.h"
#include "serval/history/history.h"
#include "serval/levels/anomaly.h"
#include "serval/levels/level.h"

namespace serval {

// One read that no level above read-uncommitted allows. `source` is the write it saw (aborted,
// intermediate, its own later one), or the earlier operation of the same transaction that it
// contradicts (an earlier answer to the same predicate, for a phantom read), or the append that a list
// should show before another of the same transaction. none() for a value from thin air.
struct BadRead {
  TransactionId reader;
  OperationId read;
  OperationId source = OperationId::none();
};

// The same in a history with a version certificate, for one key that an operation read or changed, or
// should have; none() for the result of an aggregate. `source` is the write of the version that the
// operation saw according to the certificate, or an earlier write of its own transaction; none() for the
// initial version.
struct BadRow {
  TransactionId reader;
  OperationId op;
  KeyId key = KeyId::none();
  OperationId source = OperationId::none();
};

// Why edges[edge].from of a CommitOrder edge was visible to the reader: edges of session order and
// reads-from that lead from it to the transaction of edges[edge].to_read.
struct VisibilityPath {
  std::size_t edge;  // Index into Cycle::edges.
  std::vector<Edge> path;
};

// Each transaction must precede the next, and the last the first. edges[i].to == edges[i + 1].from.
struct Cycle {
  std::vector<Edge> edges;
  std::vector<VisibilityPath> visibility_paths = {};  // One for each CommitOrder edge, ascending.
};

// Two committed transactions read the same version of a key and both overwrote it, so one update is lost
// in either order. `version` is the write that installed the version, none() for the initial one.
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
    Unreachable,    // the value was written, but no chain from the insert leads to it
    RealTime,       // an operation began after one that follows it in the chain had ended
  };
  Rule rule;
  KeyId key;
  OperationId first, second;  // The operations that contradict each other; second may be none().
};
std::string_view name_of(ChainBreak::Rule rule);

// However the questions that the reads leave open are answered, some transaction precedes itself. Only
// the transactions needed for the proof are considered. Reads from others are ignored, which can weaken
// the argument but never make it wrong.
struct Contradiction {
  // A question with one case per answer, or the end of a case.
  struct Node {
    // The end: with the answers given so far, these edges form a cycle. Edges with basis Case follow
    // from those answers.
    std::vector<Edge> cycle = {};
    // Without `read`: which of two writes of a key came first? cases[0] is for writes[0].
    // With `read`: which of the writes did it see, none() being the initial version? One case for each.
    OperationId read = OperationId::none();
    std::vector<OperationId> writes = {};
    std::vector<std::uint32_t> cases = {};  // Indices of nodes, all greater than this node's.
  };
  std::vector<Node> nodes;  // The root is the first.
};

using Evidence = std::variant<BadRead, Cycle, Divergence, ChainBreak, OrderConflict, DirtyUpdate,
                              VersionContradiction, Contradiction, BadRow, BrokenOrder>;

struct Anomaly {
  AnomalyKind kind;
  Evidence evidence;
};

// The level holds, and this execution shows it: the transactions in commit order, without aborted ones
// and without indeterminate ones that nobody saw. At the snapshot levels, snapshot[i] is the number of
// transactions of commit_order that were visible to commit_order[i]; at other levels it is empty, and
// each transaction sees all before it. The session guarantees and pram only concern the versions of each
// key: their witness is one order of the writers per key instead of a commit order.
struct Holds {
  Level proven;  // The level that the witness proves: the one asked for, or a stronger one that implies it.
  std::vector<TransactionId> commit_order;
  std::vector<std::uint32_t> snapshot;
  Jagged<TransactionId> version_order = {};  // By key, oldest first.
  // If the level has no execution to replay: whether the versions read and their order come from the
  // values that clients saw, or from the certificate.
  enum class Basis : std::uint8_t { Values, Certificate } basis = Basis::Values;
  // For writes whose value was not recorded: a read that saw the value that each is assumed to have
  // written. Writes that are not listed wrote values that nobody read.
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
    NoTransactions,  // No committed or possibly committed one; set by the command line, not by engines.
    EffortBudget,
    TimeBudget,
    MemoryBudget,
    Stopped
  };
  Cause cause;
  std::string reason;                // One sentence.
  std::vector<std::string> details;  // What failed where, what was proven so far, what would resolve it.
  std::string phase = {};            // The phase in which a budget ended; otherwise empty.
};

using Verdict = std::variant<Holds, Violated, Undecided>;

inline bool holds(const Verdict& verdict) { return std::holds_alternative<Holds>(verdict); }
inline bool violated(const Verdict& verdict) { return std::holds_alternative<Violated>(verdict); }
inline bool undecided(const Verdict& verdict) { return std::holds_alternative<Undecided>(verdict); }

}  // namespace serval
