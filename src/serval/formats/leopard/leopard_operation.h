#pragma once
// One record of Leopard's traces (DBHammer/Pisco), and a reader of a file of them: a JSON array of
// operations of one client, in program order. docs/formats/leopard.md has the members.
//
//   LeopardReader reader(stream, options);
//   LeopardOperation operation;
//   while (reader.next(operation)) ...
//
// All values are text; leopard_value decides which are numbers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serval/formats/format.h"
#include "serval/formats/forms/json_form_cursor.h"
#include "serval/formats/forms/text_window.h"

namespace serval {

struct LeopardCell {
  std::string column;
  std::optional<std::string> value;  // None: NULL.
};

struct LeopardRow {
  std::string table, key;  // An empty key: the whole table.
  std::vector<LeopardCell> cells;
  std::string name() const { return table + "/" + key; }
};

struct LeopardOperation {
  enum class Kind : std::uint8_t { Start, Select, Update, Insert, Delete, Commit, Rollback, Other };
  enum class Lock : std::uint8_t { Unstated, None, Shared, Exclusive };

  Kind kind = Kind::Other;
  std::string type;                            // As spelled.
  std::string thread, transaction, operation;  // Ids.
  std::string sql, level, savepoint, exception;
  Interval time;
  Lock lock = Lock::Unstated;
  ReadMode read = ReadMode::Unstated;
  std::vector<LeopardRow> rows_read, rows_written;
};

class LeopardReader {
 public:
  LeopardReader(ByteStream& stream, const ReadOptions& options)
      : options_(options), window_(stream, options) {}

  // False at the end of the array. Throws InputError.
  bool next(LeopardOperation& operation);

 private:
  struct CutOff {};
  void read_operation(LeopardOperation& operation);
  void read_member(std::string_view name, LeopardOperation& operation);
  std::string read_text();
  std::optional<std::string> read_scalar();
  Time read_time();
  std::vector<LeopardRow> read_rows();
  LeopardRow read_row();
  void read_cells(LeopardRow& row);
  void check_members(const LeopardOperation& operation) const;

  char next_character();  // Past blanks. Throws CutOff at the end.
  void take() { window_.consume_to(window_.begin() + 1); }
  bool end_of_array();
  bool cut_off();

  const ReadOptions& options_;
  TextWindow window_;
  JsonFormCursor cursor_;
  ValuePool scratch_;
  const char* start_ = nullptr;  // Start of the current operation.
  bool opened_ = false, ended_ = false, first_ = true;
};

// Integers in canonical form are numbers; everything else is text.
std::optional<std::int64_t> leopard_number(const std::string& text);

// The table of a statement: the word after FROM, UPDATE or INTO, without quotes. Empty: none.
std::string leopard_table(std::string_view sql);

}  // namespace serval
