#pragma once
// MariaDB's certificate: the binary log, read like a replica, has the rows of every commit in commit
// order. A position in that log serves as commit timestamp. The server reports the position up to which
// an InnoDB snapshot contains the commits (START TRANSACTION WITH CONSISTENT SNAPSHOT). Rows protected by
// locks are those of the position at the end of the transaction.
//
//   MariadbRecovery recovery(options, schema);         // From the current end of the log.
//
// Needs log_bin, binlog_format=ROW, binlog_row_image=FULL, and a user with REPLICATION SLAVE and BINLOG
// MONITOR.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "serval/database/mariadb/mariadb_connection.h"
#include "serval/database/recovery.h"

namespace serval::mariadb {

// "bin.000002" and 777: a timestamp that grows with the log. Throws DatabaseError.
std::int64_t log_timestamp(std::string_view file, std::string_view position);

// The rows of one event of the log, from its bytes. Columns are bigint, or the text of a list.
struct LoggedColumns {
  std::uint32_t table = 0;  // Of the schema.
  std::string types;        // The numbers of the log.
};
enum class RowChange : std::uint8_t { Inserted, Updated, Deleted };
// Throws DatabaseError for malformed bytes.
void read_logged_rows(std::string_view bytes, const LoggedColumns& columns, RowChange change,
                      std::vector<LoggedRow>& into);

class MariadbRecovery final : public Recovery {
 public:
  MariadbRecovery(const ConnectionOptions& options, Schema schema);
  void read(const std::function<void(const LoggedTransaction&)>& found) override;

 private:
  void wait_for_writers();

  Schema schema_;
  MariadbConnection connection_;
  std::string database_;
  std::string file_;
  unsigned long position_ = 0;
};

}  // namespace serval::mariadb
