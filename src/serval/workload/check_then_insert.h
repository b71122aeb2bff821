#pragma once
// Check, then insert: reads a range and inserts a row into it if it is empty, so that no slot is taken
// twice. Serializability needs no unique constraint for that; under snapshot isolation two clients may
// both find the range empty. The tables are initially empty and used in turn, for a few transactions
// each: the race is most likely on an empty index, where PostgreSQL 15.3 and older lost predicate locks.
//
// The key of a row has two fields, slot << 16 | session.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo check_then_insert_workload();

}  // namespace serval
