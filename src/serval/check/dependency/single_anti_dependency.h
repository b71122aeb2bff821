#pragma once
// The levels that are about what a transaction had seen when it missed something: cursor-stability,
// monotonic-view (no G-monotonic), consistent-view (no G-single) and parallel-snapshot-isolation (no
// G-single with session order; Cerone & Gotsman 2018, Theorem 21). All of them want acyclic dependencies,
// and then that no missed transaction leads back to the reader: to the transaction, or, for monotonic-view,
// to a read before.
//
// Where the order of versions is complete the answer is final: an order of the dependencies is the witness.
// Elsewhere a violation that is found stands, and without one the verdict is Undecided.
//
// Linear but for anti-dependencies that point back in the order found, which cost as batch_reachability.h
// says.

#include "serval/check/check_options.h"
#include "serval/evidence/verdict.h"
#include "serval/inference/reads_from.h"

namespace serval {

bool decides_by_single_anti_dependencies(Level level);

// Requires a level of the four.
Verdict check_single_anti_dependencies(const History& history, const Relations& relations, Level level,
                                       const CheckOptions& options, Budget& budget);

// Cycles in which a transaction read from another and afterwards missed something beneath it (G-monotonic):
// a shortest one found for each strong component that has any.
std::vector<Anomaly> non_monotonic_views(const History& history, const Relations& relations, Budget& budget);

// Updates with another version between the one read and the one written (G-cursor), beside those that
// lost_updates counts. `views` is without session order or with it.
class ViewGraph;
std::vector<Anomaly> cursor_lost_updates(const History& history, const Relations& relations,
                                         const ViewGraph& views);

}  // namespace serval
