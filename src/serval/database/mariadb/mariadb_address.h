#pragma once
// "mariadb://app@db1:3306/bench?snapshot=on", "mariadb://root@db1:4000/test?dialect=tidb&mode=optimistic".
// Passwords are read from ~/.my.cnf (groups client and serval) or MYSQL_PWD, as are the options for TLS.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "serval/database/address.h"

namespace serval::mariadb {

enum class Kind : std::uint8_t { Mariadb, Mysql, Tidb };
enum class TidbMode : std::uint8_t { OfServer, Pessimistic, Optimistic };

struct MariadbAddress {
  Kind kind = Kind::Mariadb;
  std::string snapshot;   // innodb_snapshot_isolation: "on", "off", or empty for the server's default.
  std::string sync_wait;  // wsrep_sync_wait, a number, or empty.
  TidbMode mode = TidbMode::OfServer;         // Of transactions; only for TiDB.
  std::chrono::milliseconds timeout{60'000};  // For every response.
  std::vector<sql::Place> nodes;
};

// `further` are other nodes of the same database: HOST, HOST:PORT, or whole addresses. Throws InputError.
[[nodiscard]] MariadbAddress parse_mariadb_address(std::string_view address,
                                                   const std::vector<std::string>& further);

// "db1:3306", for messages.
std::string name_of_node(const sql::Place& node);

}  // namespace serval::mariadb
