#pragma once
// One thing a client asks within a transaction, and what it was told. Databases translate requests; whoever
// records them needs no database.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace serval {

struct Request {
  enum class Kind : std::uint8_t {
    Read,           // The row of a key.
    Write,          // Its tag, and its columns where some are given, whether or not the row is there.
    Update,         // One statement that reads the row and writes it.
    Append,         // Adds the tag to the list of a key.
    ReadList,       // The list of a key.
    Insert,         // The row of a key, if it is absent.
    Delete,         // The row of a key.
    CompareAndSet,  // The tag of a key, if it is `expected`.
    Scan,           // All rows whose column lies within a range, or an aggregate of them.
    UpdateRange,    // Their tags, and `columns` where some are given.
    DeleteRange,    // All of them.
  };
  enum class Function : std::uint8_t { None, Count, Min, Max, Sum };
  static constexpr std::uint32_t kKey = 0xFFFFFFFFu;  // In place of a column: the key itself.

  Kind kind = Kind::Read;
  std::uint32_t table = 0;
  std::uint64_t key = 0;
  std::int64_t tag = 0;  // To write. Chosen by who executes, unique in the run.
  std::int64_t expected = 0;
  std::vector<std::int64_t> columns;  // All columns of the table, or none: those stay as they are.
  std::uint32_t column = kKey;        // Of a range: from `low` to `high`, both included.
  std::int64_t low = 0, high = 0;
  bool locks = false;  // A read that takes the lock of a write (SELECT ... FOR UPDATE, GetForUpdate).
  Function function = Function::None;  // Of a Scan: what it asks of the rows, if not the rows themselves,
  std::uint32_t argument = kKey;       // and of which column; Count counts rows.
};

constexpr bool only_reads(Request::Kind kind) {
  return kind == Request::Kind::Read || kind == Request::Kind::ReadList || kind == Request::Kind::Scan;
}
constexpr bool is_range(Request::Kind kind) { return kind >= Request::Kind::Scan; }
// A range over all keys, which begin with 0, or over all numbers of a column is asked for without a
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
  // Read: the row, or nothing. Update: the row as it was before. Ranges: the rows read, written or deleted.
  // Insert and CompareAndSet that were refused: the row that was there, or nothing.
  std::vector<Row> rows;
  std::vector<std::int64_t> list;                // ReadList.
  bool applied = true;                           // Insert, CompareAndSet, Delete: whether it took effect.
  std::optional<std::int64_t> version;           // What the database calls the version read or installed.
  std::optional<std::int64_t> result;            // Of an aggregate; none: NULL.
  std::optional<std::int64_t> matched, changed;  // Of UpdateRange and DeleteRange, as the server counts rows.
  // What it looked at, where a certificate is asked for and this is known: by a snapshot as PostgreSQL spells
  // it, or by the commit timestamp of the newest version.
  std::string snapshot;
  std::optional<std::int64_t> timestamp;
  bool saw_the_end = false;  // Locks keep what it saw; so the timestamp is known when its transaction ends.
};

}  // namespace serval
