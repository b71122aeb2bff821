#pragma once
// "postgres://app@db1:5432/bench?sslmode=require&dialect=cockroach": libpq reads its own part of it, Serval
// the rest. A password is not accepted here; libpq finds it in PGPASSWORD, ~/.pgpass, a service file or the
// address's passfile.

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace serval::postgres {

enum class Kind : std::uint8_t { Postgres, Cockroach, Yugabyte, H2 };

struct PostgresAddress {
  Kind kind = Kind::Postgres;
  bool asks_xid = false;                      // Asks every transaction for its id, together with the commit.
  std::chrono::milliseconds timeout{60'000};  // For every answer.
  // What libpq is told, a map for every node.
  std::vector<std::map<std::string, std::string>> nodes;
};

// `further` are the same database's other nodes: HOST, HOST:PORT, or whole addresses. Throws InputError.
[[nodiscard]] PostgresAddress parse_postgres_address(std::string_view address,
                                                     const std::vector<std::string>& further);

// "db1:5432", for people.
std::string name_of_node(const std::map<std::string, std::string>& node);

}  // namespace serval::postgres
