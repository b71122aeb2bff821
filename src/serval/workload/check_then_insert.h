#pragma once
// Check, then insert: read a range and insert a row into it if it is empty, so that no slot is ever taken
// twice. Under serializability that needs no unique constraint; under snapshot isolation two clients both
// find the range empty. The tables begin empty and are used one after another, a few transactions each: the
// race is at its best on an index without a single entry, where PostgreSQL 15.3 and older lost predicate
// locks.
//
// The key of a row has two fields, slot << 16 | session.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo check_then_insert_workload();

}  // namespace serval
