#include "serval/database/postgres/sqlstate.h"

#include <algorithm>
#include <array>

namespace serval::postgres {

FailureCause cause_of(std::string_view sqlstate) {
  struct Row {
    std::string_view begins;
    FailureCause cause;
  };
  static constexpr std::array<Row, 16> table = {{
      {"40P01", FailureCause::Deadlock},
      {"40001", FailureCause::Serialization},
      {"40002", FailureCause::Constraint},
      {"40", FailureCause::Serialization},
      {"55P03", FailureCause::LockTimeout},
      {"57014", FailureCause::LockTimeout},    // statement_timeout
      {"HYT00", FailureCause::LockTimeout},    // H2.
      {"90131", FailureCause::Serialization},  // H2: the row was changed by another.
      {"23", FailureCause::Constraint},
      {"57P03", FailureCause::Unavailable},  // Starting up.
      {"57P0", FailureCause::ConnectionLost},
      {"08", FailureCause::ConnectionLost},
      {"25P03", FailureCause::ConnectionLost},  // Idle for too long.
      {"25006", FailureCause::Unavailable},     // Read-only.
      {"53", FailureCause::Unavailable},        // Out of memory, disk, connections.
      {"58", FailureCause::Unavailable},
  }};
  const auto* row = std::ranges::find_if(table, [&](const Row& r) { return sqlstate.starts_with(r.begins); });
  return row == table.end() ? FailureCause::Other : row->cause;
}

bool says_aborted(std::string_view sqlstate, Kind kind) {
  if (sqlstate.size() != 5 || sqlstate == "40003") return false;  // "Statement completion unknown".
  if (cause_of(sqlstate) == FailureCause::ConnectionLost) return false;
  if (kind == Kind::Postgres || kind == Kind::H2) return true;
  return sqlstate.starts_with("40") || sqlstate.starts_with("23") || sqlstate.starts_with("25");
}

}  // namespace serval::postgres
