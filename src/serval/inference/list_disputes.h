#pragma once
// Determines which reads of a list contradict each other. Elements that nobody appended, or only
// transactions that do not count, are ignored: reading them is a fault of its own.
//
//   s1: [a(x,1)]!  s2: [a(x,2)]  s3: [l(x,[1])]  s4: [l(x,[2])]     no conflict: s3 read an aborted append
//
// Runs only for lists whose reads are not all prefixes of the longest one.

#include <vector>

#include "serval/inference/longest_reads.h"
#include "serval/inference/reads_from.h"

namespace serval {

// Adds the conflicts to `relations`; each names the longest read and one that contradicts it. If the
// reads of a key agree except for ignored elements, the longest read without them becomes the longest
// read of the key. Returns, by key, whether its reads contradict each other, or would if a transaction
// that may count does. O(elements) of the reads of disputed lists, otherwise O(reads + appends).
std::vector<bool> settle_disputes(const History& history, const ListAccesses& lists,
                                  LongestReads& longest_reads, Relations& relations, Budget& budget);

}  // namespace serval
