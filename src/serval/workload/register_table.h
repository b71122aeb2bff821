#pragma once
// The schema of workloads that read and write registers: one table in which every key exists and is
// initially 0.

#include "serval/workload/schema.h"

namespace serval {

inline Schema register_table(std::uint64_t keys) {
  return {{.name = "registers", .initial = TableInfo::Initial::Zero, .rows = keys}};
}

}  // namespace serval
