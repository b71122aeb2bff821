#pragma once
// Implements requests with get, put and erase, for databases without tables.
//
//   const KeyValueTables tables(schema);
//   const Answer answer = tables.perform({.kind = Request::Kind::Append, .key = 7, .tag = 3}, transaction);
//
// Keys and rows are encoded as bytes; decoding throws DatabaseError for anything else:
//
//   stored_key("serval_registers/", 7)     // "serval_registers/" and eight bytes: keys sort as numbers do
//   encode_row(42, {100})                  // sixteen bytes: the tag and one column, lowest byte first
//
// A list is the sequence of its tags, eight bytes each.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/workload/request.h"
#include "serval/workload/schema.h"

namespace serval {

std::string table_prefix(std::string_view table);  // "serval_NAME/"
std::string stored_key(std::string_view prefix, std::uint64_t key);

std::string encode_row(std::int64_t tag, std::span<const std::int64_t> columns);

std::vector<std::int64_t> initial_columns(const TableInfo& table);

// Calls put(key, bytes) for every initial row of the schema.
template <class Put>
void for_each_initial_row(const Schema& schema, Put put) {
  for (const TableInfo& table : schema) {
    if (table.holds == TableInfo::Holds::Lists || table.initial == TableInfo::Initial::Absent) continue;
    const std::string prefix = table_prefix(table.name);
    const std::string row = encode_row(0, initial_columns(table));
    for (std::uint64_t key = 0; key < table.rows; ++key) put(stored_key(prefix, key), row);
  }
}

struct StoredValue {
  std::string bytes;
  std::optional<std::int64_t> version;
};

// One transaction of a store. Throws TransactionFailure.
class KeyValueTransaction {
 public:
  enum class Reading { Plain, ForUpdate };

  virtual ~KeyValueTransaction() = default;
  virtual std::optional<StoredValue> get(const std::string& key, Reading reading) = 0;
  virtual void put(const std::string& key, const std::string& bytes) = 0;
  virtual void erase(const std::string& key) = 0;
};

class KeyValueTables {
 public:
  KeyValueTables() = default;
  explicit KeyValueTables(const Schema& schema);

  // Throws DatabaseError for ranges, which are not supported, and for a table that is not in the schema.
  Answer perform(const Request& request, KeyValueTransaction& transaction) const;

 private:
  struct Table {
    std::string prefix;
    std::vector<std::int64_t> initial_columns;
  };
  std::vector<Table> tables_;
};

}  // namespace serval
