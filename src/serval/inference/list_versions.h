#pragma once
// The versions of lists and their order, inferred from reads (Elle, Kingsbury & Alvaro 2020): every
// element is a version, the longest read of a list gives the order of the versions seen, and an append
// that nobody saw comes after them.
//
//   s1: [a(x,1)]  s2: [a(x,2)]  s3: [l(x,[2 1])]  s4: [a(x,3)]     x has the versions 2, 1, 3 in this order
//
// The order of several unseen appends after the last seen version is unknown.
//
// If two reads of a list contradict each other even without the elements of transactions that do not
// count, the list has no known order: all that is certain is that its versions come after the initial
// one. What each read shows is recorded separately (Relations::contested).
// Elements that several transactions appended are left out of the order, and reads that show them are
// ambiguous.

#include <utility>
#include <vector>

#include "serval/inference/longest_reads.h"
#include "serval/inference/reads_from.h"

namespace serval {

// A version, and a transaction that wrote a version that certainly comes later.
using LaterWriter = std::pair<VersionId, TransactionId>;

// Fills in what accesses to lists read and wrote, numbers the versions, and adds everything that is
// wrong with list reads to `relations`. `longest_reads` must have observed every participating
// transaction. Returns the contents for Relations::later. O(appends), plus O(elements) expected time for
// the elements of the distinct lists; a list that disagrees with the longest one counts once per read.
std::vector<LaterWriter> infer_list_versions(const History& history, const ListAccesses& lists,
                                             LongestReads& longest_reads, Relations& relations,
                                             Budget& budget);

}  // namespace serval
