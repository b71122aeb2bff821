// MariaDB, MySQL, TiDB, and Galera clusters. Sessions are spread over the nodes; the first creates the
// tables.

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/database/drivers.h"
#include "serval/database/mariadb/mariadb_connection.h"
#include "serval/database/mariadb/recover_mariadb.h"
#include "serval/database/mariadb/recover_tidb.h"
#include "serval/database/sql/server_database.h"

namespace serval {
namespace mariadb {
namespace {

class MariadbDatabase final : public sql::ServerDatabase<MariadbAddress, MariadbConnection> {
 public:
  MariadbDatabase(MariadbAddress address, const DatabaseOptions& options)
      : ServerDatabase(std::move(address), options.isolation) {
    dialect_ = address_.kind == Kind::Mariadb ? sql::kMariadb
               : address_.kind == Kind::Tidb  ? sql::kTidb
                                              : sql::kMysql;
    settings_.push_back("set session transaction isolation level " + isolation_in_sql());
    // By default 50 s and a day. InnoDB detects deadlocks at once, so a longer wait is for another node
    // of a cluster.
    if (address_.kind != Kind::Tidb) {
      settings_.emplace_back("set session innodb_lock_wait_timeout = 5");
      settings_.emplace_back("set session lock_wait_timeout = 10");
    }
    if (!address_.snapshot.empty())
      settings_.push_back("set session innodb_snapshot_isolation = " + address_.snapshot);
    if (!address_.sync_wait.empty())
      settings_.push_back("set session wsrep_sync_wait = " + address_.sync_wait);
    if (address_.kind == Kind::Tidb) choose_tidb_mode();
    if (options.certificate) prepare_for_certificate();
    control();
  }

  std::map<std::string, std::string> facts() override {
    std::string nodes;
    for (const sql::Place& node : address_.nodes) nodes += (nodes.empty() ? "" : ",") + name_of_node(node);
    std::map<std::string, std::string> out = {
        {"database", name()}, {"version", control().version()}, {"isolation", isolation_}, {"nodes", nodes}};
    for (const char* variable : {"innodb_snapshot_isolation", "wsrep_sync_wait"})
      if (const std::string value = variable_of(variable); !value.empty()) out[variable] = value;
    if (!tidb_mode_.empty()) out["mode"] = tidb_mode_;
    promise(out);
    return out;
  }

  void create(const Schema& schema) override {
    ServerDatabase::create(schema);
    for (std::size_t i = 1; i < address_.nodes.size(); ++i) wait_for(address_.nodes[i]);
  }

  std::unique_ptr<Client> reconnect(std::uint32_t session, std::uint32_t attempt) override {
    const sql::Place& node = node_at(session + attempt);
    return client({.node = node,
                   .settings = settings_,
                   .node_name = address_.nodes.size() > 1 ? name_of_node(node) : "",
                   .timeout = address_.timeout,
                   .snapshots = snapshots_,
                   .begin = begin_});
  }

  // Plain reads at repeatable read see one snapshot and lock nothing. TiDB has no transactions that only
  // read.
  std::unique_ptr<Client> connect_observer(std::uint32_t attempt) override {
    const std::string snapshot = "set session transaction isolation level repeatable read";
    return client({.node = node_at(attempt),
                   .settings = {address_.kind == Kind::Tidb ? snapshot : snapshot + ", read only"},
                   .timeout = address_.timeout});
  }

  std::unique_ptr<Recovery> recover() override {
    const ConnectionOptions options{.node = address_.nodes.front(), .timeout = address_.timeout};
    if (address_.kind == Kind::Tidb) return std::make_unique<TidbRecovery>(options, schema_);
    return std::make_unique<MariadbRecovery>(options, schema_);
  }

  std::string certificate_gap() const override {
    return snapshots_ == Snapshots::OrdersOnly
               ? "MariaDB does not reveal which rows a range examined at " + isolation_
               : "";
  }

 private:
  std::unique_ptr<MariadbConnection> open_control(std::size_t node) const override {
    return std::make_unique<MariadbConnection>(
        ConnectionOptions{.node = address_.nodes[node], .settings = settings_, .timeout = address_.timeout});
  }

  // Otherwise writes see newer rows than reads, and updates are lost. Optimistic transactions of TiDB see
  // one snapshot at any isolation.
  void promise(std::map<std::string, std::string>& facts) const {
    const auto setting = facts.find("innodb_snapshot_isolation");
    const bool sees_one_snapshot =
        tidb_mode_ == "optimistic" || (setting != facts.end() && setting->second == "1");
    if (isolation_ == "repeatable-read" && !sees_one_snapshot) facts["promises"] = "read-committed";
  }

  // Every transaction requests its mode, so that the facts stay true whatever the server's default is.
  void choose_tidb_mode() {
    if (address_.mode != TidbMode::OfServer)
      tidb_mode_ = address_.mode == TidbMode::Optimistic ? "optimistic" : "pessimistic";
    else if (const std::string of_server = variable_of("tidb_txn_mode"); !of_server.empty())
      tidb_mode_ = of_server;
    if (!tidb_mode_.empty()) begin_ = "begin " + tidb_mode_;
  }

  // All nodes share one clock.
  Snapshots snapshots_of_tidb() const {
    if (tidb_mode_.empty())
      throw InputError({}, "the server does not say whether its transactions are optimistic", {},
                       "add &mode=pessimistic or &mode=optimistic to the address, or leave out dialect=tidb");
    if (tidb_mode_ == "optimistic") return Snapshots::TidbOptimistic;
    return isolation_ == "repeatable-read" ? Snapshots::TidbPessimistic : Snapshots::TidbReadCommitted;
  }

  // At read committed every statement has its own snapshot, which the server does not reveal: orders
  // only.
  void prepare_for_certificate() {
    if (address_.kind == Kind::Tidb && (isolation_ == "repeatable-read" || isolation_ == "read-committed")) {
      snapshots_ = snapshots_of_tidb();
      return;
    }
    if (address_.kind != Kind::Mariadb || address_.nodes.size() > 1)
      throw InputError(
          {},
          "a certificate is recovered from one server of MariaDB, or from TiDB at repeatable read or read "
          "committed",
          {}, "docs/certificates.md lists the supported databases");
    settings_.push_back("set session session_track_system_variables = 'last_gtid'");
    snapshots_ = isolation_ == "serializable"      ? Snapshots::Locks
                 : isolation_ == "repeatable-read" ? Snapshots::Consistent
                                                   : Snapshots::OrdersOnly;
    if (snapshots_ == Snapshots::Consistent) begin_ = "start transaction with consistent snapshot";
  }

  std::string name() {
    const std::string version = control().version();
    if (version.find("TiDB") != std::string::npos) return "TiDB";
    return version.find("MariaDB") != std::string::npos ? "MariaDB" : "MySQL";
  }

  // Its value in a session of the run; empty if the server does not have it.
  std::string variable_of(const std::string& variable) {
    try {
      return control().execute("select @@" + variable);
    } catch (const DatabaseError&) {
      return {};
    }
  }

  // Another node of a Galera cluster may lag behind. Servers without this setting share one state.
  void wait_for(const sql::Place& node) {
    MariadbConnection connection({.node = node, .timeout = address_.timeout});
    try {
      connection.execute("set session wsrep_sync_wait = 1");
    } catch (const DatabaseError&) {
      return;
    }
    for (const TableInfo& table : schema_)
      connection.execute(fmt::format("select k from `serval_{}` limit 1", table.name));
  }

  std::vector<std::string> settings_;
  Snapshots snapshots_ = Snapshots::None;
  std::string begin_ = "start transaction";
  std::string tidb_mode_;  // "optimistic", "pessimistic"; empty if it is not TiDB.
};

}  // namespace
}  // namespace mariadb

std::unique_ptr<Database> open_mariadb(std::string_view address, const DatabaseOptions& options) {
  return std::make_unique<mariadb::MariadbDatabase>(mariadb::parse_mariadb_address(address, options.nodes),
                                                    options);
}

}  // namespace serval
