#pragma once
// The participants of a contradiction: the transactions on a cycle of certain and concluded steps, and
// those that each conclusion depends on, back to what is certain.

#include <vector>

#include "serval/check/polygraph/version_saturation.h"

namespace serval {

// For a cycle in saturation.graph(), which must have one. Ascending.
std::vector<TransactionId> participants_of_cycle(const History& history, const Points& points,
                                                 const Chains& chains, const OpenKeys& open,
                                                 const VersionSaturation& saturation, Budget& budget);

// For these vertices and everything concluded between two of them. Ascending.
std::vector<TransactionId> participants_of_vertices(const History& history, const Points& points,
                                                    const Chains& chains, const OpenKeys& open,
                                                    const VersionSaturation& saturation,
                                                    const std::vector<Vertex>& vertices, Budget& budget);

}  // namespace serval
