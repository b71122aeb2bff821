// PostgreSQL and databases that speak its protocol. Sessions are spread over the nodes; the first creates
// the tables.
#include <array>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/database/drivers.h"
#include "serval/database/postgres/postgres_connection.h"
#include "serval/database/postgres/recover_cockroach.h"
#include "serval/database/postgres/recover_postgres.h"
#include "serval/database/sql/server_database.h"

namespace serval {
namespace postgres {
namespace {

constexpr int kVersionOfOnConflict = 90500;

sql::Dialect dialect_of(Kind kind, int version) {
  if (kind == Kind::H2) return sql::kH2;
  if (kind != Kind::Postgres) return sql::kCockroach;
  sql::Dialect dialect = sql::kPostgres;
  if (version < kVersionOfOnConflict) {
    dialect.upsert = sql::Dialect::Upsert::UpdateThenInsert;
    // Checking for the row first would be a read, which hides anomalies of serializable transactions
    // without it.
    dialect.insert = sql::Dialect::Insert::Fails;
  }
  return dialect;
}

class PostgresDatabase final : public sql::ServerDatabase<PostgresAddress, PostgresConnection> {
 public:
  PostgresDatabase(PostgresAddress address, const DatabaseOptions& options)
      : ServerDatabase(std::move(address), options.isolation) {
    if (options.certificate) refuse_where_nothing_is_recovered();
    if (options.certificate)
      snapshots_ = address_.kind == Kind::Cockroach  ? Snapshots::OfCommit
                   : isolation_.starts_with("read-") ? Snapshots::OfStatements
                                                     : Snapshots::OfTransaction;
    dialect_ = dialect_of(address_.kind, control().version());
  }

  std::map<std::string, std::string> facts() override {
    std::string nodes;
    for (const auto& node : address_.nodes) nodes += (nodes.empty() ? "" : ",") + name_of_node(node);
    std::map<std::string, std::string> out = {
        {"database", name()},
        {"version", address_.kind == Kind::H2 ? control().execute("select h2version()")
                                              : control().execute("show server_version")},
        {"isolation", isolation_},
        {"nodes", nodes}};
    // Its timestamps follow the clocks of several nodes, which may differ.
    if (address_.kind == Kind::Cockroach && isolation_ == "serializable") out["promises"] = "serializable";
    if (address_.kind == Kind::Cockroach && isolation_ == "repeatable-read")
      out["promises"] = "snapshot-isolation";
    return out;
  }

  std::unique_ptr<Client> reconnect(std::uint32_t session, std::uint32_t attempt) override {
    const auto& node = node_at(session + attempt);
    return client({.node = node,
                   .kind = address_.kind,
                   .isolation = isolation_in_sql(),
                   .node_name = address_.nodes.size() > 1 ? name_of_node(node) : "",
                   .asks_xid = address_.asks_xid || snapshots_ != Snapshots::None,
                   .snapshots = snapshots_,
                   .origin = origin_,
                   .timeout = address_.timeout});
  }

  // Repeatable read uses a snapshot and takes no predicate locks, which would affect the test.
  std::unique_ptr<Client> connect_observer(std::uint32_t attempt) override {
    const bool snapshots = address_.kind == Kind::Postgres || address_.kind == Kind::Yugabyte;
    return client({.node = node_at(attempt),
                   .kind = address_.kind,
                   .isolation = snapshots ? "repeatable read read only" : "serializable",
                   .timeout = address_.timeout});
  }

  std::unique_ptr<Recovery> recover() override {
    const ConnectionOptions options{
        .node = address_.nodes.front(), .kind = address_.kind, .timeout = address_.timeout};
    if (address_.kind != Kind::Cockroach) return std::make_unique<PostgresRecovery>(options, schema_);
    auto recovery = std::make_unique<CockroachRecovery>(options, schema_);
    origin_ = recovery->origin();
    return recovery;
  }

 private:
  std::unique_ptr<PostgresConnection> open_control(std::size_t node) const override {
    return std::make_unique<PostgresConnection>(
        ConnectionOptions{.node = address_.nodes[node], .kind = address_.kind, .timeout = address_.timeout});
  }

  void refuse_where_nothing_is_recovered() const {
    const bool cockroach = address_.kind == Kind::Cockroach && isolation_ == "serializable";
    if (cockroach) return;  // All nodes share one clock.
    if (address_.kind != Kind::Postgres)
      throw InputError({}, fmt::format("no certificate can be recovered from {} at {}", name(), isolation_),
                       {}, "docs/certificates.md lists the supported databases");
    if (address_.nodes.size() > 1)
      throw InputError({}, "a certificate is recovered from one server; leave out --node");
  }

  std::string name() const {
    static constexpr std::array<const char*, 4> kNames{"PostgreSQL", "CockroachDB", "YugabyteDB", "H2"};
    return kNames[static_cast<std::size_t>(address_.kind)];
  }

  Snapshots snapshots_ = Snapshots::None;
  std::int64_t origin_ = 0;
};

}  // namespace
}  // namespace postgres

std::unique_ptr<Database> open_postgres(std::string_view address, const DatabaseOptions& options) {
  return std::make_unique<postgres::PostgresDatabase>(
      postgres::parse_postgres_address(address, options.nodes), options);
}

}  // namespace serval
