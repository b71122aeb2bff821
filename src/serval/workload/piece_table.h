#pragma once
// The schema of workloads with ranges: one table of rows that are inserted and deleted, each with a
// place.

#include "serval/workload/schema.h"

namespace serval {

constexpr std::uint32_t kPieces = 0;  // The table,
constexpr std::uint32_t kPlace = 0;   // and the column for ranges that are not over keys.

inline Schema piece_table(std::uint64_t keys) {
  return {{.name = "pieces",
           .initial = TableInfo::Initial::Absent,
           .rows = keys,
           .columns = {{.name = "place", .indexed = true}}}};
}

}  // namespace serval
