#pragma once
// The levels below read-committed, decided by trying every version order. They judge the counted
// transactions and allow reads of uncommitted data.
//
// What the reads of a list show is the longest of them, without the elements that no counted transaction
// appended (aborted ones may have been visible for a while). If two reads contradict each other, the
// list is disputed.
//
// read-uncommitted and its strong variants: some order of the counted transactions (containing so,
// containing so and rt) gives each list the elements that its reads show, in the order that they show.
// The reads of a disputed list show nothing, because this level does not constrain reads. An element of
// a counted transaction that a read shows more often than it was appended is a violation.
//
// Session guarantees and PRAM: each key separately has an order of its writers, by their last writes,
// that agrees with what list reads show, and in which T2 is not after T1 whenever T4 reads x from T1, T2
// wrote x, and
//   monotonic-reads       a transaction that read from T2 is earlier in T4's session
//   monotonic-writes      T4 reads from a transaction that is later in T2's session
//   read-your-writes      T2 is earlier in T4's session
//   writes-follow-reads   T4 reads from a transaction whose session, earlier, read from T2
//   pram                  T2 is earlier in T4's session, or T2 so? T5 wr T3 so? T4 with at least one so
// External reads that saw no last write of a counted transaction are ignored. A list read saw the write
// of its last element. No order agrees with a disputed list: the second of [l(x,[1])] [l(x,[2])] lost
// what the first had seen. If a value was appended twice, the reads of the list show no order.

#include "oracle/story.h"

namespace serval::oracle {

LevelSet levels_by_version_order(const Story& story);
const std::vector<Level>& version_order_levels();

}  // namespace serval::oracle
