#include "serval/database/key_value/stored_value.h"

#include "serval/database/database.h"

namespace serval {
namespace {

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

Answer::Row decode_row(std::uint64_t key, std::string_view bytes) {
  if (bytes.empty())
    throw DatabaseError("an empty row: these tables were not created by this version of serval");
  std::vector<std::int64_t> words = decode_list(bytes);
  return {.key = key, .tag = words.front(), .columns = {words.begin() + 1, words.end()}};
}

void append_to_list(std::string& bytes, std::int64_t tag) {
  append_word(bytes, static_cast<std::uint64_t>(tag));
}

std::vector<std::int64_t> decode_list(std::string_view bytes) {
  if (bytes.size() % kWord != 0) throw DatabaseError("the tables contain bytes that serval did not write");
  std::vector<std::int64_t> out(bytes.size() / kWord);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = word_at(bytes, i);
  return out;
}

std::vector<std::int64_t> initial_columns(const TableInfo& table) {
  std::vector<std::int64_t> out;
  for (const ColumnInfo& column : table.columns) out.push_back(column.initial);
  return out;
}

}  // namespace serval
