#include "serval/database/key_value/key_value_tables.h"

#include "serval/database/database.h"

namespace serval {
namespace {

using Kind = Request::Kind;
using Reading = KeyValueTransaction::Reading;

constexpr std::size_t kWord = 8;

void append_word(std::string& bytes, std::uint64_t word) {
  for (std::size_t i = 0; i < kWord; ++i) bytes += static_cast<char>(word >> (8 * i));
}

std::int64_t word_at(std::string_view bytes, std::size_t index) {
  std::uint64_t word = 0;
  for (std::size_t i = kWord; i-- > 0;)
    word = word << 8 | static_cast<unsigned char>(bytes[index * kWord + i]);
  return static_cast<std::int64_t>(word);
}

std::vector<std::int64_t> decode_list(std::string_view bytes) {
  if (bytes.size() % kWord != 0) throw DatabaseError("the tables contain bytes that serval did not write");
  std::vector<std::int64_t> out(bytes.size() / kWord);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = word_at(bytes, i);
  return out;
}

Answer::Row decode_row(std::uint64_t key, std::string_view bytes) {
  if (bytes.empty())
    throw DatabaseError("an empty row: these tables were not created by this version of serval");
  std::vector<std::int64_t> words = decode_list(bytes);
  return {.key = key, .tag = words.front(), .columns = {words.begin() + 1, words.end()}};
}

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

std::string table_prefix(std::string_view table) { return "serval_" + std::string(table) + "/"; }

std::string stored_key(std::string_view prefix, std::uint64_t key) {
  std::string out(prefix);
  for (std::size_t i = kWord; i-- > 0;) out += static_cast<char>(key >> (8 * i));
  return out;
}

std::string encode_row(std::int64_t tag, std::span<const std::int64_t> columns) {
  std::string out;
  out.reserve(kWord * (columns.size() + 1));
  append_word(out, static_cast<std::uint64_t>(tag));
  for (const std::int64_t column : columns) append_word(out, static_cast<std::uint64_t>(column));
  return out;
}

std::vector<std::int64_t> initial_columns(const TableInfo& table) {
  std::vector<std::int64_t> out;
  for (const ColumnInfo& column : table.columns) out.push_back(column.initial);
  return out;
}

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
    append_word(bytes, static_cast<std::uint64_t>(request.tag));
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
