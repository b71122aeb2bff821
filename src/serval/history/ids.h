#pragma once
// The dense ids of a history. Each kind counts from 0 in order of first appearance.

#include "serval/base/strong_id.h"

namespace serval {

using SessionId = StrongId<struct SessionTag>;
using TransactionId = StrongId<struct TransactionTag>;
using OperationId = StrongId<struct OperationTag>;
using KeyId = StrongId<struct KeyTag>;
using PredicateId = StrongId<struct PredicateTag>;

}  // namespace serval
