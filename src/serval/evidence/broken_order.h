#pragma once
// Where an order in which the transactions were expected to be serializable fails, as evidence. Plain
// data: produced by the replay, shown in reports, re-proved by verify_witness.
//
//   s1: [w(x,1)]  s2: [w(y,2)]  s3: [r(x,1) r(y,0)]      by timestamps s1, s2, s3
//   operation r(y,0), key y, write w(y,2): another order may be serial, but this one is not

#include <cstdint>
#include <string>
#include <vector>

#include "serval/history/ids.h"

namespace serval {

// Where the order comes from: the database's timestamps, the ends of the transactions, or the user.
enum class ExpectedOrderSource : std::uint8_t { Timestamps, Completion, Given };

struct BrokenOrder {
  ExpectedOrderSource source = ExpectedOrderSource::Timestamps;
  std::vector<TransactionId> order = {};
  // If the order is that of commits and transactions read from snapshots: by position, how many
  // transactions the snapshot shows. Empty: each transaction sees all before it.
  std::vector<std::uint32_t> visible = {};
  TransactionId transaction = TransactionId::none();
  // The operation of `transaction` that disagrees with the state that it must see, about
  // `key`; none() for the result of an aggregate. `write` is the write of the version that the state
  // holds, none() for the initial version; `expected` is the right result of an aggregate.
  OperationId operation = OperationId::none();
  KeyId key = KeyId::none();
  OperationId write = OperationId::none();
  std::string expected = {};
  // Without `operation`: a transaction that the order places after `transaction`, although it precedes
  // it in its session or in real time. With snapshots: one that comes before `transaction` and is not
  // visible to it, although both wrote `key`.
  TransactionId predecessor = TransactionId::none();
};

}  // namespace serval
