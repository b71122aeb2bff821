#pragma once
// The encoding of rows and lists in a key-value store.
//
//   stored_key("serval_registers", 7)      // "serval_registers/" and eight bytes: keys sort as numbers do
//   encode_row(42, {100})                  // sixteen bytes: the tag and one column, lowest byte first
//
// A list is the sequence of its tags, eight bytes each. Decoding throws DatabaseError for anything else.

#include <cstdint>
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
Answer::Row decode_row(std::uint64_t key, std::string_view bytes);
void append_to_list(std::string& bytes, std::int64_t tag);
std::vector<std::int64_t> decode_list(std::string_view bytes);

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

}  // namespace serval
