#pragma once
// The versions of lists and their order, from what reads of them show (Elle, Kingsbury & Alvaro 2020): every
// element is a version, the longest read of a list is the order of those that were seen, and an append that
// nobody saw comes after them.
//
//   s1: [a(x,1)]  s2: [a(x,2)]  s3: [l(x,[2 1])]  s4: [a(x,3)]     x has the versions 2, 1, 3 in this order
//
// Several appends that nobody saw follow the last seen version in an order that nobody knows.
//
// Where two reads of a list contradict each other even without the elements of transactions that do not
// count, the list shows no order: all that is certain is that its versions come after the initial one. What
// each of the reads shows by itself is kept apart (Relations::contested).
// Elements that several transactions appended are left out of the order, and reads that show them are
// ambiguous.

#include <utility>
#include <vector>

#include "serval/inference/longest_reads.h"
#include "serval/inference/reads_from.h"

namespace serval {

// A version, and a transaction that wrote a version that certainly comes later.
using LaterWriter = std::pair<VersionId, TransactionId>;

// Gives accesses to lists what they read and wrote, numbers the versions, and adds to `relations` all that
// is wrong with the reads of lists. `longest_reads` must have observed every transaction that takes part.
// The answer is what belongs in Relations::later. O(appends) and, for the elements of the distinct lists,
// O(elements) expected time; a list that disagrees with the longest one counts as often as it was read.
std::vector<LaterWriter> infer_list_versions(const History& history, const ListAccesses& lists,
                                             LongestReads& longest_reads, Relations& relations,
                                             Budget& budget);

}  // namespace serval
