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
    dialect_ = address_.kind == Kind::Mariadb ? sql::kMariadb : sql::kMysql;
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
    // Otherwise writes see newer rows than reads, and updates are lost.
    const auto snapshots = out.find("innodb_snapshot_isolation");
    if (isolation_ == "repeatable-read" && (snapshots == out.end() || snapshots->second != "1"))
      out["promises"] = "read-committed";
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
                   .snapshots = snapshots_});
  }

  // Plain reads at repeatable read see one snapshot and lock nothing.
  std::unique_ptr<Client> connect_observer(std::uint32_t attempt) override {
    return client({.node = node_at(attempt),
                   .settings = {"set session transaction isolation level repeatable read, read only"},
                   .timeout = address_.timeout});
  }

  std::unique_ptr<Recovery> recover() override {
    if (address_.kind == Kind::Tidb) return std::make_unique<RecordedBySessions>();
    return std::make_unique<MariadbRecovery>(
        ConnectionOptions{.node = address_.nodes.front(), .timeout = address_.timeout}, schema_);
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

  // At read committed every statement has its own snapshot, which the server does not reveal: orders
  // only.
  void prepare_for_certificate() {
    if (address_.kind == Kind::Tidb && isolation_ == "repeatable-read") {
      snapshots_ = Snapshots::Tidb;  // All nodes share one clock.
      return;
    }
    if (address_.kind != Kind::Mariadb || address_.nodes.size() > 1)
      throw InputError(
          {}, "a certificate is recovered from one server of MariaDB, or from TiDB at repeatable read", {},
          "docs/certificates.md lists the supported databases");
    settings_.push_back("set session session_track_system_variables = 'last_gtid'");
    snapshots_ = isolation_ == "serializable"      ? Snapshots::Locks
                 : isolation_ == "repeatable-read" ? Snapshots::Consistent
                                                   : Snapshots::OrdersOnly;
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
};

}  // namespace
}  // namespace mariadb

std::unique_ptr<Database> open_mariadb(std::string_view address, const DatabaseOptions& options) {
  return std::make_unique<mariadb::MariadbDatabase>(mariadb::parse_mariadb_address(address, options.nodes),
                                                    options);
}

}  // namespace serval
