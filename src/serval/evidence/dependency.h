#pragma once
// One dependency between two transactions, with the operations that prove it. Plain data: produced by
// the search, shown in reports, re-proved by verify_witness.

#include <cstdint>
#include <string_view>

#include "serval/evidence/order_basis.h"
#include "serval/history/ids.h"

namespace serval {

// Why one transaction must come before another.
//   WriteRead   from wrote (from_op) what to read (to_op).
//   WriteWrite  to read (to_read) what from wrote (from_op) and then overwrote it (to_op).
//   ReadWrite   from read (from_op) a version that to overwrote (to_op): either to read that same version
//               (to_read) and wrote the key, or the version is the initial one, which precedes every write.
//   Session     from precedes to in one session.
//   RealTime    from ended before to began.
//   CommitOrder from (from_op) and to (to_op) wrote the key. A transaction read to's version (to_read)
//               although from was visible to it (Cycle::visibility_paths), so from must come before to.
enum class EdgeKind : std::uint8_t { WriteWrite, WriteRead, ReadWrite, Session, RealTime, CommitOrder };
std::string_view name_of(EdgeKind kind);  // ww wr rw so rt co

struct Edge {
  TransactionId from, to;
  EdgeKind kind = EdgeKind::Session;
  KeyId key = KeyId::none();  // For data edges only.
  OperationId from_op = OperationId::none();
  OperationId to_op = OperationId::none();
  OperationId to_read = OperationId::none();  // none() for a ReadWrite edge from the initial version.
  // If the order of the two versions rests on an assumption: which one, and the operations that saw or
  // wrote the earlier and the later version (VersionPrecedence). Then to_read is none().
  OrderBasis basis = OrderBasis::Reads;
  OperationId seen_earlier = OperationId::none();
  OperationId seen_later = OperationId::none();
  // WriteRead and ReadWrite: a predicate dependency rather than an item dependency. `from` or `to`
  // changed what the other's predicate matches; `key` is one of the keys whose version did.
  bool of_predicate = false;
};

}  // namespace serval
