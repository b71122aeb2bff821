#pragma once
// Shorthands for requests in dialogues.
//
//   co_await ask::write(kAccounts, account, ask::columns(balance + amount));
//   co_await ask::scan(kLines, ask::keys(first, last));

#include <cstdint>
#include <utility>
#include <vector>

#include "serval/workload/request.h"

namespace serval::ask {

using Columns = std::vector<std::int64_t>;

// g++ 12 rejects braces within co_await ("array used as initializer").
template <class... Numbers>
Columns columns(Numbers... numbers) {
  return {static_cast<std::int64_t>(numbers)...};
}

inline Request of_key(Request::Kind kind, std::uint32_t table, std::uint64_t key, Columns row = {}) {
  return {.kind = kind, .table = table, .key = key, .columns = std::move(row)};
}
inline Request read(std::uint32_t table, std::uint64_t key) {
  return of_key(Request::Kind::Read, table, key);
}
inline Request write(std::uint32_t table, std::uint64_t key, Columns row = {}) {
  return of_key(Request::Kind::Write, table, key, std::move(row));
}
inline Request update(std::uint32_t table, std::uint64_t key, Columns row = {}) {
  return of_key(Request::Kind::Update, table, key, std::move(row));
}
inline Request insert(std::uint32_t table, std::uint64_t key, Columns row = {}) {
  return of_key(Request::Kind::Insert, table, key, std::move(row));
}
inline Request remove(std::uint32_t table, std::uint64_t key) {
  return of_key(Request::Kind::Delete, table, key);
}

// An inclusive range of a column; of keys if no column is given.
struct Range {
  std::int64_t low = 0, high = 0;
  std::uint32_t column = Request::kKey;
};

inline Request of_range(Request::Kind kind, std::uint32_t table, const Range& range, Columns row = {}) {
  return {.kind = kind,
          .table = table,
          .columns = std::move(row),
          .column = range.column,
          .low = range.low,
          .high = range.high};
}
inline Request scan(std::uint32_t table, const Range& range) {
  return of_range(Request::Kind::Scan, table, range);
}
inline Request update_range(std::uint32_t table, const Range& range, Columns row = {}) {
  return of_range(Request::Kind::UpdateRange, table, range, std::move(row));
}
inline Request delete_range(std::uint32_t table, const Range& range) {
  return of_range(Request::Kind::DeleteRange, table, range);
}

inline Range keys(std::uint64_t low, std::uint64_t high) {
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), Request::kKey};
}

inline Range equal_to(std::int64_t value, std::uint32_t column) { return {value, value, column}; }

}  // namespace serval::ask
