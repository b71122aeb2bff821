#pragma once
// The levels from read-committed upwards that are defined by an order of all transactions, decided by
// trying every order. An order is extended by one transaction at a time and abandoned once a read is
// impossible:
//
//   - An external read of a register sees the last write of an earlier transaction, or the initial version.
//     Every other read of a register sees its transaction's own last write.
//   - The versions of a list are in the order of their transactions. An external list read shows everything
//     up to some earlier transaction's last append, no more and no less; so it shows the order of those
//     appends, and that all others come later. A list read after own appends shows everything before its
//     transaction and then its own appends so far.
//
// Hence aborted, intermediate, thin-air and future reads, incompatible orders, duplicate elements and
// dirty updates are violations here without special treatment: no order explains them.
//
// If a level is defined by a version order that makes some dependencies acyclic, every order that
// contains them is tried and determines the version order. A topological order of the dependencies is
// one of these orders.
//
//   read-committed             nothing more; strong-session: contains so; strong: contains so and rt
//   cursor-stability           no write of x lies between a read of x and the reader's own write of x
//   monotonic-atomic-view      T3 reads from T2, later x from T1, T2 wrote x: T2 is not after T1
//   read-committed-monotonic   so; and the same
//   monotonic-view             T3 reads from T2, later x from T1, x written by T2 or by a transaction that T2
//                              depends on (ww, wr): that one is not after T1
//   consistent-view            no cycle of ww, wr and one rw
//   read-atomic, causal        so; T3 reads x from T1, T2 wrote x, one or more steps of so and wr from T2 to
//                              T3: T2 is not after T1; and reads of one key agree
//   prefix-consistency         so; the same, where T2 is or precedes a transaction that T3 follows by one
//                              such step
//   parallel-snapshot-...      no cycle of so, wr, ww with at most one rw
//
// Reads of one key agree if all external ones saw the same version, and list reads after own appends
// show that version before these appends (INT of Cerone & Gotsman).

#include "oracle/story.h"

namespace serval::oracle {

// Which of these levels hold. Requires that `wanted` contains no others.
LevelSet levels_by_commit_order(const Story& story, const LevelSet& wanted);
const std::vector<Level>& commit_order_levels();

}  // namespace serval::oracle
