#pragma once
// The shared part of databases that are servers: the tables, the clients, and the connection that creates
// tables and queries facts. Sessions are spread over the nodes.
//
//   class PostgresDatabase final : public sql::ServerDatabase<PostgresAddress, PostgresConnection> { ...

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "serval/base/contract.h"
#include "serval/database/database.h"
#include "serval/database/sql/sql_client.h"

namespace serval::sql {

// `Address` has nodes; `Connection` is a connection to one of them.
template <class Address, class Connection>
class ServerDatabase : public Database {
 public:
  ServerDatabase(Address address, std::string isolation)
      : address_(std::move(address)), isolation_(std::move(isolation)) {}

  void create(const Schema& schema) override {
    schema_ = schema;
    create_tables(schema, dialect_, [&](const std::string& text) { control().execute(text); });
    statements_ = std::make_shared<Statements>(schema, dialect_);
  }

  void drop() override {
    const auto execute = [&](const std::string& text) { control().execute(text); };
    drop_tables(schema_, dialect_, execute, [this] { return control_->lost(); });
    schema_.clear();
  }

  std::unique_ptr<Client> connect(std::uint32_t session) override { return reconnect(session, 0); }

  std::optional<std::string> first_cell_of(const std::string& query) override {
    Connection& connection = control();
    try {
      return connection.execute(query);
    } catch (const DatabaseError&) {
      if (connection.lost()) throw;
      return std::nullopt;
    }
  }

 protected:
  virtual std::unique_ptr<Connection> open_control(std::size_t node) const = 0;  // Or throws DatabaseError.

  // Opened on first use, and again after it was lost: the server may have been restarted, or may be gone
  // while another node is available. Throws DatabaseError if no node responds.
  Connection& control() {
    const std::size_t nodes = address_.nodes.size();
    for (std::size_t attempt = 1; !control_ || control_->lost(); ++attempt) try {
        control_ = open_control(control_node_);
      } catch (const DatabaseError&) {
        if (attempt >= nodes) throw;
        control_node_ = (control_node_ + 1) % nodes;
      }
    return *control_;
  }

  std::unique_ptr<Client> client(const typename Connection::Options& options) const {
    expects(statements_ != nullptr, "create() was called");
    return std::make_unique<SqlClient>(std::make_unique<Connection>(options), statements_);
  }

  const auto& node_at(std::uint32_t number) const { return address_.nodes[number % address_.nodes.size()]; }

  std::string isolation_in_sql() const {
    std::string out = isolation_;
    std::ranges::replace(out, '-', ' ');
    return out;
  }

  Address address_;
  std::string isolation_;
  Dialect dialect_;
  Schema schema_;

 private:
  std::unique_ptr<Connection> control_;
  std::size_t control_node_ = 0;
  std::shared_ptr<const Statements> statements_;
};

}  // namespace serval::sql
