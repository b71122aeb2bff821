#include "serval/formats/leopard/leopard_json.h"

#include <algorithm>
#include <set>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

using Kind = LeopardOperation::Kind;

class LeopardHistory {
 public:
  enum class Reads : std::uint8_t { Known, OwnOnly };
  LeopardHistory(const ReadOptions& options, Reads reads) : options_(options), reads_(reads) {}

  void add_table(const std::string& path) {
    if (initial_.is_none()) {
      const Value label = builder_.values().text("initial rows");
      initial_ = builder_.begin_transaction(builder_.session(label), label);
    }
    read_leopard_table(path, options_.budget, [&](const LeopardRow& row) {
      for (const LeopardCell& cell : row.cells)
        builder_.add(initial_, OperationKind::Write, key_of(row, cell.column), value_of(cell));
    });
  }

  // A file of one client. Slices of a client follow each other.
  void add_file(ByteStream& stream) {
    LeopardReader reader(stream, options_);
    LeopardOperation operation;
    while (reader.next(operation)) add(operation);
  }
  void end_client() {
    if (!open_) return;
    ++unfinished_;
    builder_.set_outcome(transaction_, Outcome::Indeterminate);
    finish_transaction(kUnknownEnd);
  }

  History finish() {
    if (!initial_.is_none() && first_ != kUnknownEnd)
      builder_.set_interval(initial_, {first_ - 2, first_ - 1});
    if (!level_.empty()) builder_.set_fact("isolation", level_);
    builder_.set_fact("recorder", "leopard");
    if (options_.on_notice) {
      if (skipped_ > 0)
        options_.on_notice(fmt::format("{} record(s) that are not statements skipped", skipped_));
      if (unfinished_ > 0)
        options_.on_notice(fmt::format("{} transaction(s) without an end are indeterminate", unfinished_));
      if (reads_ == Reads::OwnOnly)
        options_.on_notice(
            "without the other clients and the initial rows, reads cannot be judged: give the folder that "
            "holds trace/ and init_data/");
    }
    return std::move(builder_).freeze();
  }

 private:
  struct Step {
    Operation operation;
    std::string id;  // Of the record that it comes from.
  };

  KeyId key_of(const LeopardRow& row, const std::string& column) {
    columns_[row.table].insert(column);
    return builder_.key(builder_.values().text(row.name() + "." + column));
  }
  Value value_of(const LeopardCell& cell) {
    if (!cell.value) return Value::nil();
    if (const auto number = leopard_number(*cell.value)) return builder_.values().integer(*number);
    return builder_.values().text(*cell.value);
  }

  void add(const LeopardOperation& operation) {
    first_ = std::min(first_, operation.time.begin);
    if (operation.kind == Kind::Other) {
      ++skipped_;
      return;
    }
    if (open_ && operation.transaction != label_) end_client();
    if (!open_) begin(operation);
    switch (operation.kind) {
      case Kind::Commit:
        return commit(operation);
      case Kind::Rollback:
        builder_.set_outcome(transaction_, Outcome::Aborted);
        return finish_transaction(operation.time.end);
      case Kind::Start:
        if (!operation.level.empty())
          level_ = level_.empty() || level_ == operation.level ? operation.level : "mixed";
        return;
      default:
        for (const LeopardRow& row : operation.rows_read) add_reads(operation, row);
        for (const LeopardRow& row : operation.rows_written) add_writes(operation, row);
    }
  }

  void begin(const LeopardOperation& operation) {
    label_ = operation.transaction;
    transaction_ = builder_.begin_transaction(builder_.session(builder_.values().text(operation.thread)),
                                              builder_.values().text(label_));
    begin_ = operation.time.begin;
    open_ = true;
  }

  void add_step(const LeopardOperation& from, OperationKind kind, KeyId key, Value value) {
    steps_.push_back({{.kind = kind, .key = key, .value = value, .time = from.time}, from.operation});
  }

  void add_reads(const LeopardOperation& operation, const LeopardRow& row) {
    for (const LeopardCell& cell : row.cells) {
      const KeyId key = key_of(row, cell.column);
      const bool known = reads_ == Reads::Known || written_.contains(key);
      add_step(operation, OperationKind::Read, key, known ? value_of(cell) : Value::unknown());
    }
  }

  // A row without columns was deleted.
  void add_writes(const LeopardOperation& operation, const LeopardRow& row) {
    const auto step = [&](OperationKind kind, KeyId key, Value value) {
      written_.insert(key);
      add_step(operation, kind, key, value);
    };
    if (operation.kind != Kind::Delete && !row.cells.empty()) {
      for (const LeopardCell& cell : row.cells)
        step(OperationKind::Write, key_of(row, cell.column), value_of(cell));
      return;
    }
    const std::set<std::string> columns = columns_[row.table];
    for (const std::string& column : columns) step(OperationKind::Delete, key_of(row, column), Value::nil());
  }

  // Drops the operations after a savepoint that the transaction rolled back to.
  void commit(const LeopardOperation& operation) {
    if (!operation.savepoint.empty()) {
      const auto last = std::find_if(steps_.rbegin(), steps_.rend(),
                                     [&](const Step& step) { return step.id == operation.savepoint; });
      if (last != steps_.rend()) steps_.erase(last.base(), steps_.end());
    }
    finish_transaction(operation.time.end);
  }

  void finish_transaction(Time end) {
    for (const Step& step : steps_) builder_.add(transaction_, step.operation);
    builder_.set_interval(transaction_, {begin_, end});
    steps_.clear();
    written_.clear();
    open_ = false;
  }

  const ReadOptions& options_;
  const Reads reads_;
  HistoryBuilder builder_;
  absl::flat_hash_map<std::string, std::set<std::string>> columns_;  // By table.
  TransactionId initial_ = TransactionId::none();
  std::string level_;
  Time first_ = kUnknownEnd;

  bool open_ = false;
  TransactionId transaction_;
  std::string label_;
  Time begin_ = 0;
  std::vector<Step> steps_;
  absl::flat_hash_set<KeyId> written_;

  std::uint64_t skipped_ = 0, unfinished_ = 0;
};

}  // namespace

bool looks_like_leopard(std::string_view start) {
  const std::size_t open = start.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos || start[open] != '[') return false;
  const std::size_t object = start.find_first_not_of(" \t\r\n", open + 1);
  if (object == std::string_view::npos || start[object] != '{') return false;
  constexpr std::size_t kTelling = 4096;  // The members of a first operation, statement included.
  const std::string_view members = start.substr(object, kTelling);
  return members.find("\"operationTraceType\"") != std::string_view::npos &&
         members.find("\"transactionID\"") != std::string_view::npos;
}

History read_leopard(ByteStream& stream, const ReadOptions& options) {
  LeopardHistory history(options, LeopardHistory::Reads::OwnOnly);
  history.add_file(stream);
  history.end_client();
  return history.finish();
}

bool is_leopard_folder(const std::string& path) { return !find_leopard_files(path).clients.empty(); }

History read_leopard_folder(const std::string& path, const ReadOptions& options) {
  const LeopardFolder files = find_leopard_files(path);
  if (files.clients.empty())
    throw InputError({path}, "expected files called loader-0.0.json in it, or in trace/");
  LeopardHistory history(
      options, files.tables.empty() ? LeopardHistory::Reads::OwnOnly : LeopardHistory::Reads::Known);
  for (const std::string& table : files.tables) history.add_table(table);
  for (const std::vector<std::string>& client : files.clients) {
    for (const std::string& slice : client) {
      ByteStream stream = ByteStream::open(slice, options.budget);
      history.add_file(stream);
    }
    history.end_client();
  }
  return history.finish();
}

}  // namespace serval
