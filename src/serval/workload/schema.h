#pragma once
// The tables of a workload, independent of the database. Every row has an integer key and an integer
// value: the tag of its last write. Every write has a different tag, so a read identifies the writer. A
// table may have more integer columns, for workloads that compute with them or search by them.
//
//   Schema{{.name = "registers", .rows = 1000, .initial = TableInfo::Initial::Zero}}

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace serval {

struct ColumnInfo {
  std::string name;
  std::int64_t initial = 0;
  bool indexed = false;
};

struct TableInfo {
  enum class Holds : std::uint8_t { Registers, Lists };
  // The initial state of a key: 0, or no row. Lists are empty either way.
  enum class Initial : std::uint8_t { Zero, Absent };

  std::string name;
  Holds holds = Holds::Registers;
  Initial initial = Initial::Zero;
  std::uint64_t rows = 0;  // Keys 0 to rows - 1 exist initially, unless `initial` is Absent.
  std::vector<ColumnInfo> columns;
};

// Whether a recording has whole rows of the table, {"place":3,"tag":17}, rather than tags, so that ranges
// over a column can be checked. Only for initially empty tables, since initial rows are known only by
// their tag 0. Every write then gives all columns.
inline bool records_columns(const TableInfo& table) {
  return table.initial == TableInfo::Initial::Absent &&
         std::ranges::any_of(table.columns, &ColumnInfo::indexed);
}

using Schema = std::vector<TableInfo>;

}  // namespace serval
