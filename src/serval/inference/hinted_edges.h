#pragma once
// Cites the assumption for edges whose version order no read shows.

#include <vector>

#include "serval/evidence/dependency.h"
#include "serval/inference/reads_from.h"

namespace serval {

// Fills in basis, seen_earlier and seen_later of those write dependencies and anti-dependencies in
// `edges` that rest on one of relations.hinted. O(log hints) per edge.
void cite_hints(const Relations& relations, std::vector<Edge>& edges);

}  // namespace serval
