#pragma once
// The levels that are defined by an acyclic graph: read-uncommitted, read-committed, snapshot isolation
// and serializable, each with its strong-session and strict variants, prefix consistency and, without
// predicates, repeatable read. Linear time (real time: O(n log n) if the history is not in time order).
//
// Complete if the version order of every key follows from the reads. List reads show it (Elle). For
// registers it follows if each write is preceded by a read of its key in the same transaction (MTC
// sections III and IV; one write without a read is allowed as a key's first) and each value that is read
// was left behind by only one transaction. Both conditions are checked. If they fail, a violation is
// still valid, because it uses known edges alone. If there is none, read-uncommitted and read-committed
// hold anyway, because they do not constrain the order of registers; for the other levels an order is
// searched for (polygraph/order_search.h).

#include <optional>

#include "serval/check/check_options.h"
#include "serval/check/trail.h"
#include "serval/evidence/verdict.h"
#include "serval/inference/dependency_graph.h"
#include "serval/inference/reads_from.h"

namespace serval {

bool decides_by_graph(Level level);

// Without the level's session order and real time; none for levels that no such graph defines.
std::optional<GraphShape> shape_of_level(Level level);

// Requires decides_by_graph(level), or linearizable and a history of single operations.
Verdict check_dependencies(const History& history, const Relations& relations, Level level,
                           const CheckOptions& options, Trail& trail, Budget& budget);

// The name of the engine for such a history: "mini-transaction" if reads determine the order of
// registers, "list-append" if there are lists, otherwise "dependency-graph".
std::string_view dependency_engine(const Relations& relations);

}  // namespace serval
