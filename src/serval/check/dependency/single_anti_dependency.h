#pragma once
// The levels that concern what was visible to a transaction when it missed something: cursor-stability,
// monotonic-view (no G-monotonic), consistent-view (no G-single) and parallel-snapshot-isolation (no
// G-single with session order; Cerone & Gotsman 2018, Theorem 21). They all require acyclic
// dependencies, and that no missed transaction leads back to the reader: to the transaction, or, for
// monotonic-view, to an earlier read.
//
// If the version order is complete, the result is final: an order of the dependencies is the witness.
// Otherwise a violation is still valid, and without one the verdict is Undecided.
//
// Linear, except for anti-dependencies that point back in the order found (see batch_reachability.h for
// their cost).

#include "serval/check/check_options.h"
#include "serval/evidence/verdict.h"
#include "serval/inference/reads_from.h"

namespace serval {

bool decides_by_single_anti_dependencies(Level level);

// Requires one of the four levels.
Verdict check_single_anti_dependencies(const History& history, const Relations& relations, Level level,
                                       const CheckOptions& options, Budget& budget);

// Cycles in which a transaction read from another and afterwards missed something that the other depends
// on (G-monotonic): a shortest one for each strong component that has any.
std::vector<Anomaly> non_monotonic_views(const History& history, const Relations& relations, Budget& budget);

// Updates with another version between the one read and the one written (G-cursor), in addition to those
// that lost_updates counts. `views` may or may not include session order.
class ViewGraph;
std::vector<Anomaly> cursor_lost_updates(const History& history, const Relations& relations,
                                         const ViewGraph& views);

}  // namespace serval
