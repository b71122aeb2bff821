#pragma once
// How databases differ in what they call the same thing: rows of a table, so that all statements are made in
// one place (statements.h).
//
//   Dialect dialect = kPostgres;
//   dialect.upsert = Dialect::Upsert::UpdateThenInsert;      // A server older than 9.5.

#include <cstdint>
#include <string_view>

namespace serval::sql {

struct Dialect {
  enum class Parameters : std::uint8_t { Dollar, NumberedMark, Mark };  // $1, ?1, ?
  // UpdateThenInsert: two statements; an insert that comes second fails for its constraint.
  enum class Upsert : std::uint8_t { OnConflict, OnDuplicateKey, UpdateThenInsert };
  // What becomes of an insert where the row is there: a count of 0, or a failure for its constraint.
  enum class Insert : std::uint8_t { Refused, Fails };
  // How a statement that writes tells what it wrote: a clause of it, a query around it, or a further query.
  enum class Written : std::uint8_t { Returning, DeltaTable, ReadBack };
  // How an update tells what was there before: in one statement, or by a read that locks before it.
  enum class Before : std::uint8_t { JoinedRow, DeltaTable, LockedRead };
  // How a read takes the lock of a write. SQLite has no word for it: a write that changes nothing.
  enum class Lock : std::uint8_t { ForUpdate, EmptyUpdate };

  Parameters parameters = Parameters::Dollar;
  Upsert upsert = Upsert::OnConflict;
  Insert insert = Insert::Refused;
  Written updated = Written::Returning;
  Written deleted = Written::Returning;
  Before before = Before::LockedRead;
  Lock lock = Lock::ForUpdate;
  char quote = '"';
  std::string_view key = "bigint";  // The type of keys.
  std::string_view text = "text";   // The type of long texts.
  // Reads what writes see: where the two differ, a refused write must tell what refused it.
  std::string_view current_read;
};

inline constexpr Dialect kSqlite{
    .parameters = Dialect::Parameters::NumberedMark, .lock = Dialect::Lock::EmptyUpdate, .key = "integer"};

inline constexpr Dialect kPostgres{.before = Dialect::Before::JoinedRow};

inline constexpr Dialect kCockroach{};

inline constexpr Dialect kH2{.upsert = Dialect::Upsert::UpdateThenInsert,
                             .updated = Dialect::Written::DeltaTable,
                             .deleted = Dialect::Written::DeltaTable,
                             .before = Dialect::Before::DeltaTable,
                             .text = "varchar"};

inline constexpr Dialect kMysql{.parameters = Dialect::Parameters::Mark,
                                .upsert = Dialect::Upsert::OnDuplicateKey,
                                .updated = Dialect::Written::ReadBack,
                                .deleted = Dialect::Written::ReadBack,
                                .quote = '`',
                                .text = "longtext",
                                .current_read = " lock in share mode"};

inline constexpr Dialect kMariadb{.parameters = Dialect::Parameters::Mark,
                                  .upsert = Dialect::Upsert::OnDuplicateKey,
                                  .updated = Dialect::Written::ReadBack,
                                  .quote = '`',
                                  .text = "longtext",
                                  .current_read = " lock in share mode"};

}  // namespace serval::sql
