#pragma once
// The schema of workloads that read and write registers: one table, every key there and 0 at the start.

#include "serval/workload/schema.h"

namespace serval {

inline Schema register_table(std::uint64_t keys) {
  return {{.name = "registers", .initial = TableInfo::Initial::Zero, .rows = keys}};
}

}  // namespace serval
