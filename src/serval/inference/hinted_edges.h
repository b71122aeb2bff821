#pragma once
// Cites the assumption behind edges whose order of versions no read shows.

#include <vector>

#include "serval/evidence/dependency.h"
#include "serval/inference/reads_from.h"

namespace serval {

// Fills basis, seen_earlier and seen_later of the write and anti-dependencies among `edges` that rest on one
// of relations.hinted. O(log hints) an edge.
void cite_hints(const Relations& relations, std::vector<Edge>& edges);

}  // namespace serval
