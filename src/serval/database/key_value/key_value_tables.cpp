#include "serval/database/key_value/key_value_tables.h"

#include "serval/database/database.h"
#include "serval/database/key_value/stored_value.h"

namespace serval {
namespace {

using Kind = Request::Kind;
using Reading = KeyValueTransaction::Reading;

void note_row(Answer& answer, const Request& request, const std::optional<StoredValue>& stored) {
  if (!stored) return;
  answer.rows.push_back(decode_row(request.key, stored->bytes));
  answer.version = stored->version;
}

// The columns to write: those of the request, else the current ones, else the initial ones.
std::vector<std::int64_t> columns_to_write(const Request& request, const std::vector<Answer::Row>& row,
                                           const std::vector<std::int64_t>& initial) {
  if (!request.columns.empty()) return request.columns;
  return row.empty() ? initial : row.front().columns;
}

bool is_refused(const Request& request, const std::vector<Answer::Row>& row) {
  if (request.kind == Kind::Insert) return !row.empty();
  return row.empty() || (request.kind == Kind::CompareAndSet && row.front().tag != request.expected);
}

}  // namespace

KeyValueTables::KeyValueTables(const Schema& schema) {
  for (const TableInfo& table : schema)
    tables_.push_back({table_prefix(table.name), serval::initial_columns(table)});
}

Answer KeyValueTables::perform(const Request& request, KeyValueTransaction& transaction) const {
  if (is_range(request.kind)) throw DatabaseError("this database has no ranges");
  if (request.table >= tables_.size()) throw DatabaseError("a request to a table that was not created");
  const Table& table = tables_[request.table];
  const std::string key = stored_key(table.prefix, request.key);
  Answer answer;

  if (only_reads(request.kind)) {
    const auto stored = transaction.get(key, request.locks ? Reading::ForUpdate : Reading::Plain);
    if (request.kind == Kind::Read) {
      note_row(answer, request, stored);
    } else if (stored) {
      answer.list = decode_list(stored->bytes);
      answer.version = stored->version;
    }
    return answer;
  }
  if (request.kind == Kind::Append) {
    auto stored = transaction.get(key, Reading::ForUpdate);
    std::string bytes = stored ? std::move(stored->bytes) : std::string();
    append_to_list(bytes, request.tag);
    transaction.put(key, bytes);
    return answer;
  }
  // A write that replaces the whole row is blind: it must not read the old one.
  std::vector<Answer::Row> row;
  const bool blind = request.kind == Kind::Write && request.columns.size() == table.initial_columns.size();
  if (!blind) {
    Answer before;
    note_row(before, request, transaction.get(key, Reading::ForUpdate));
    row = before.rows;
    if (request.kind != Kind::Write) answer = std::move(before);
  }
  if (request.kind != Kind::Write && is_refused(request, row)) {
    answer.applied = false;
    return answer;
  }
  if (request.kind != Kind::Update) answer = {};
  if (request.kind == Kind::Delete)
    transaction.erase(key);
  else
    transaction.put(key, encode_row(request.tag, columns_to_write(request, row, table.initial_columns)));
  return answer;
}

}  // namespace serval
