#pragma once
// A request within a transaction, and its response. Database drivers translate requests; recording them
// needs no database.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace serval {

struct Request {
  enum class Kind : std::uint8_t {
    Read,           // The row of a key.
    Write,          // Its tag, and its columns if given, whether or not the row exists.
    Update,         // One statement that reads and writes the row.
    Append,         // Adds the tag to the list of a key.
    ReadList,       // The list of a key.
    Insert,         // The row of a key, if it is absent.
    Delete,         // The row of a key.
    CompareAndSet,  // The tag of a key, if it is `expected`.
    Scan,           // All rows whose column lies within a range, or an aggregate of them.
    UpdateRange,    // Their tags, and `columns` if given.
    DeleteRange,    // All of them.
  };
  enum class Function : std::uint8_t { None, Count, Min, Max, Sum };
  static constexpr std::uint32_t kKey = 0xFFFFFFFFu;  // Instead of a column: the key itself.

  Kind kind = Kind::Read;
  std::uint32_t table = 0;
  std::uint64_t key = 0;
  std::int64_t tag = 0;  // To write. Chosen at execution, unique in the run.
  std::int64_t expected = 0;
  std::vector<std::int64_t> columns;  // All columns of the table, or none to keep them.
  std::uint32_t column = kKey;        // For a range: from `low` to `high`, inclusive.
  std::int64_t low = 0, high = 0;
  bool locks = false;  // A read that takes the lock of a write (SELECT ... FOR UPDATE, GetForUpdate).
  Function function = Function::None;  // For a Scan: the aggregate to return instead of the rows,
  std::uint32_t argument = kKey;       // and its column; Count counts rows.
};

constexpr bool only_reads(Request::Kind kind) {
  return kind == Request::Kind::Read || kind == Request::Kind::ReadList || kind == Request::Kind::Scan;
}
constexpr bool is_range(Request::Kind kind) { return kind >= Request::Kind::Scan; }
// A range over all keys, which start at 0, or over all values of a column is requested without a
// condition, which indexes treat differently.
constexpr bool is_unbounded(const Request& range) {
  const std::int64_t least = range.column == Request::kKey ? 0 : std::numeric_limits<std::int64_t>::min();
  return range.low <= least && range.high == std::numeric_limits<std::int64_t>::max();
}

struct Answer {
  struct Row {
    std::uint64_t key = 0;
    std::int64_t tag = 0;
    std::vector<std::int64_t> columns;
  };
  // Read: the row, or nothing. Update: the row before the update. Ranges: the rows read, written or
  // deleted. Insert and CompareAndSet without effect: the existing row, or nothing.
  std::vector<Row> rows;
  std::vector<std::int64_t> list;       // ReadList.
  bool applied = true;                  // Insert, CompareAndSet, Delete: whether it took effect.
  std::optional<std::int64_t> version;  // The database's number of the version read or installed.
  std::optional<std::int64_t> result;   // For an aggregate; none: NULL.
  std::optional<std::int64_t> matched,
      changed;  // For UpdateRange and DeleteRange: row counts from the server.
  // What it saw, if a certificate is requested and this is known: a snapshot in PostgreSQL's notation, or
  // the commit timestamp of the newest version.
  std::string snapshot;
  std::optional<std::int64_t> timestamp;
  bool saw_the_end =
      false;  // Locks preserve what it saw, so the timestamp is known when its transaction ends.
};

}  // namespace serval
