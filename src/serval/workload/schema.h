#pragma once
// The tables of a workload, before any database knows them. Every row has a whole number as its key and one
// as its value: the tag of whoever wrote it last, different for every write, so that a read tells who that
// was. A table may have further columns of whole numbers, for workloads that compute with them or search by
// them.
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
  // What a key holds before the first write: 0, or no row at all. Lists are empty either way.
  enum class Initial : std::uint8_t { Zero, Absent };

  std::string name;
  Holds holds = Holds::Registers;
  Initial initial = Initial::Zero;
  std::uint64_t rows = 0;  // Keys 0 to rows - 1 exist at the start, unless they are absent.
  std::vector<ColumnInfo> columns;
};

// Whether a recording has whole rows of the table, {"place":3,"tag":17}, instead of their tags: where ranges
// over a column would otherwise mean nothing. Rows that exist at the start are known by their tag 0 alone, so
// only tables that begin empty have them; every write gives all columns then.
inline bool records_columns(const TableInfo& table) {
  return table.initial == TableInfo::Initial::Absent &&
         std::ranges::any_of(table.columns, &ColumnInfo::indexed);
}

using Schema = std::vector<TableInfo>;

}  // namespace serval
