#pragma once
// The shared part of all SQL sessions: turns requests into statements and results into responses.
//
//   return std::make_unique<SqlClient>(std::move(connection), statements);

#include "serval/database/client.h"
#include "serval/database/sql/connection.h"

namespace serval::sql {

class SqlClient final : public Client {
 public:
  SqlClient(std::unique_ptr<Connection> connection, std::shared_ptr<const Statements> statements)
      : connection_(std::move(connection)), statements_(std::move(statements)) {}
  ~SqlClient() override { roll_back(); }

  void begin() override;
  Answer perform(const Request& request) override;
  Outcome commit() override;
  void roll_back() override;
  void interrupt() noexcept override { connection_->interrupt(); }
  TransactionHints hints() const override { return connection_->hints(); }
  std::optional<std::int64_t> seen() const override { return connection_->seen(); }

 private:
  Answer answer(const Request& request, const TableStatements& table);
  Answer write(const Request& request, const TableStatements& table);
  Answer update(const Request& request, const TableStatements& table);
  Answer remove(const Request& request, const TableStatements& table);
  Answer append(const Request& request, const TableStatements& table);
  Answer insert(const Request& request, const TableStatements& table);
  Answer compare_and_set(const Request& request, const TableStatements& table);
  Answer scan(const Request& request, const TableStatements& table);
  Answer update_range(const Request& request, const TableStatements& table);
  Answer delete_range(const Request& request, const TableStatements& table);

  // The rows that a statement returns, with the snapshot that it saw.
  Answer rows(const TableStatements& table, const Statement& statement,
              std::initializer_list<std::int64_t> first, std::span<const std::int64_t> columns = {});
  Result run(const Statement& statement, std::initializer_list<std::int64_t> first,
             std::span<const std::int64_t> columns = {});

  std::unique_ptr<Connection> connection_;
  std::shared_ptr<const Statements> statements_;
  std::vector<std::int64_t> parameters_;
  bool open_ = false;
};

}  // namespace serval::sql
