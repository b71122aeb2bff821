#pragma once
// "postgres://app@db1:5432/bench?sslmode=require&dialect=cockroach": libpq parses its own options, Serval
// the rest. Passwords are not accepted; libpq reads them from PGPASSWORD, ~/.pgpass, a service file or
// the address's passfile.

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace serval::postgres {

enum class Kind : std::uint8_t { Postgres, Cockroach, Yugabyte, H2 };

struct PostgresAddress {
  Kind kind = Kind::Postgres;
  bool asks_xid = false;  // Queries the id of every transaction, together with the commit.
  std::chrono::milliseconds timeout{60'000};  // For every response.
  // Options for libpq, one map per node.
  std::vector<std::map<std::string, std::string>> nodes;
};

// `further` are other nodes of the same database: HOST, HOST:PORT, or whole addresses. Throws InputError.
[[nodiscard]] PostgresAddress parse_postgres_address(std::string_view address,
                                                     const std::vector<std::string>& further);

// "db1:5432", for messages.
std::string name_of_node(const std::map<std::string, std::string>& node);

}  // namespace serval::postgres
