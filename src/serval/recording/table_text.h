#pragma once
// Formats keys, rows and predicates of the tables of a run for the native format (docs/formats/jsonl.md).
//
//   text.put_key(line, 1, 7);                        "parts/7"; 7 for the first table
//   text.put_value(line, 0, 17, {3});                {"place":3,"tag":17}; 17 if columns are not recorded
//   text.put_predicate(line, request);               ["between",["col","pieces.place"],3,5]
//
// The constructor formats the constant parts once.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "serval/workload/request.h"
#include "serval/workload/schema.h"

namespace serval {

class TableText {
 public:
  explicit TableText(const Schema& schema);

  void put_key(std::string& to, std::uint32_t table, std::uint64_t key) const;
  void put_value(std::string& to, std::uint32_t table, std::int64_t tag,
                 std::span<const std::int64_t> columns) const;
  // The row that a request writes.
  void put_written(std::string& to, const Request& request) const;
  // For a range: its condition, and what to do with the rows.
  void put_predicate(std::string& to, const Request& request) const;

 private:
  static constexpr std::size_t kTag = static_cast<std::size_t>(-1);
  struct Cell {
    std::string before;  // {"place":
    std::size_t column;  // Or kTag.
  };
  struct Entry {
    std::string key_prefix;             // "parts/ with its quote; empty: a plain number.
    std::vector<Cell> cells;            // By name, the tag among them; empty: columns are not recorded.
    std::vector<std::string> nodes;     // ["col","pieces.place"] for the key, then for the columns.
    std::vector<std::string> assigned;  // ,["set","place", for the columns.
    std::vector<std::int64_t> initial;
  };

  void put_condition(std::string& to, const Entry& entry, const Request& request) const;
  void put_assignments(std::string& to, const Entry& entry, const Request& request) const;

  std::vector<Entry> entries_;
  // The starts of nodes, each with its commas.
  std::string between_, update_, set_tag_, set_value_;
  std::array<std::string, 5> aggregates_;  // By Request::Function.
};

}  // namespace serval
