#pragma once
// The levels that are defined by a graph without cycles: read-uncommitted, read-committed, snapshot isolation
// and serializable, each with its strong-session and strict variants, prefix consistency and, without
// predicates, repeatable read. Linear time (real time: O(n log n) where the history is not in time order).
//
// Complete where the order of every key's versions follows from the reads. Of lists they show it (Elle). Of
// registers it follows when each write is preceded by a read of its key in the same transaction (MTC sections
// III and IV; one write without a read is allowed as a key's first) and each value that is read was left
// behind by one transaction only. Both are checked. Where they fail, a violation that is found still stands:
// it rests on known edges alone. Without one, read-uncommitted and read-committed hold all the same, because
// they leave the order of registers open; for the other levels an order is searched for
// (polygraph/order_search.h).

#include "serval/check/check_options.h"
#include "serval/check/trail.h"
#include "serval/evidence/verdict.h"
#include "serval/inference/reads_from.h"

namespace serval {

bool decides_by_graph(Level level);

// Requires decides_by_graph(level), or linearizable and a history of single operations.
Verdict check_dependencies(const History& history, const Relations& relations, Level level,
                           const CheckOptions& options, Trail& trail, Budget& budget);

// What the engine is called on such a history: "mini-transaction" where reads settle the order of registers,
// "list-append" where there are lists, "dependency-graph" elsewhere.
std::string_view dependency_engine(const Relations& relations);

}  // namespace serval
