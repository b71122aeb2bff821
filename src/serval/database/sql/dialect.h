#pragma once
// The differences between SQL dialects as a table, so that all statements are generated in one place
// (statements.h).
//
//   Dialect dialect = kPostgres;
//   dialect.upsert = Dialect::Upsert::UpdateThenInsert;      // A server older than 9.5.

#include <cstdint>
#include <string_view>

namespace serval::sql {

struct Dialect {
  enum class Parameters : std::uint8_t { Dollar, NumberedMark, Mark };  // $1, ?1, ?
  // UpdateThenInsert: two statements; a second, concurrent insert violates the constraint.
  enum class Upsert : std::uint8_t { OnConflict, OnDuplicateKey, UpdateThenInsert };
  // The result of inserting an existing row: a count of 0, or a constraint violation.
  enum class Insert : std::uint8_t { Refused, Fails };
  // How a write returns the rows it wrote: by a clause, a query around it, or another query.
  enum class Written : std::uint8_t { Returning, DeltaTable, ReadBack };
  // How an update returns the old row: in one statement, or by a locking read before it.
  enum class Before : std::uint8_t { JoinedRow, DeltaTable, LockedRead };
  // How a read takes a write lock. SQLite has no syntax for it, so it uses a write that changes nothing.
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
  // A read that sees what writes see, to find out why a write had no effect.
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

// TiDB refuses LOCK IN SHARE MODE by default.
inline constexpr Dialect kTidb{.parameters = Dialect::Parameters::Mark,
                               .upsert = Dialect::Upsert::OnDuplicateKey,
                               .updated = Dialect::Written::ReadBack,
                               .deleted = Dialect::Written::ReadBack,
                               .quote = '`',
                               .text = "longtext",
                               .current_read = " for update"};

inline constexpr Dialect kMariadb{.parameters = Dialect::Parameters::Mark,
                                  .upsert = Dialect::Upsert::OnDuplicateKey,
                                  .updated = Dialect::Written::ReadBack,
                                  .quote = '`',
                                  .text = "longtext",
                                  .current_read = " lock in share mode"};

}  // namespace serval::sql
