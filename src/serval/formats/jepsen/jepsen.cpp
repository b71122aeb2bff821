#include "serval/formats/jepsen/jepsen.h"

#include "serval/formats/forms/edn_cursor.h"
#include "serval/formats/forms/json_form_cursor.h"
#include "serval/formats/jepsen/jepsen_file_reader.h"
#include "serval/formats/jepsen/jepsen_history.h"
#include "serval/formats/jepsen/jepsen_operation_reader.h"
#include "serval/formats/jepsen/jepsen_text_line.h"
#include "serval/formats/jepsen/jepsen_writer.h"

namespace serval {
namespace {

// One map per line.
constexpr JepsenSpelling kEdn{.before_name = ":",
                              .after_name = " ",
                              .before_word = ":",
                              .after_word = "",
                              .between_fields = ", ",
                              .between_elements = " ",
                              .nil = "nil",
                              .words_as_keywords = true,
                              .before_all = "",
                              .between_maps = "\n",
                              .after_all = "\n"};

constexpr JepsenSpelling kColumns = [] {
  JepsenSpelling columns = kEdn;
  columns.layout = JepsenSpelling::Layout::Columns;
  return columns;
}();

constexpr JepsenSpelling kJsonArray{.before_name = "\"",
                                    .after_name = "\":",
                                    .before_word = "\"",
                                    .after_word = "\"",
                                    .between_fields = ",",
                                    .between_elements = ",",
                                    .nil = "null",
                                    .words_as_keywords = false,
                                    .before_all = "[",
                                    .between_maps = ",\n",
                                    .after_all = "]\n"};

constexpr JepsenSpelling kJsonLines = [] {
  JepsenSpelling lines = kJsonArray;
  lines.before_all = "";
  lines.between_maps = lines.after_all = "\n";
  return lines;
}();

// The sink of JepsenFileReader and JepsenTextReader that builds a History.
template <class Cursor>
class JepsenHistorySink {
 public:
  explicit JepsenHistorySink(Cursor& cursor) : reader_(cursor, history_.values()) {}

  // Both throw FormEnds and FormProblem.
  void take_map() {
    reader_.read(operation_);
    history_.add(operation_);
  }
  void take_columns() {
    reader_.read_columns(operation_);
    history_.add(operation_);
  }
  void reserve_after(double share) { history_.reserve_after(share); }

  // Called once, at the end.
  History history(const ReadOptions& options) {
    if (options.on_positions && history_.takes_positions()) options.on_positions();
    return std::move(history_).finish(options.on_notice);
  }

 private:
  JepsenHistory history_;
  JepsenOperationReader<Cursor> reader_;
  JepsenOperation operation_;
};

template <class Cursor>
History read_jepsen_maps(ByteStream& stream, const ReadOptions& options) {
  JepsenFileReader<Cursor, JepsenHistorySink<Cursor>> reader(stream, options);
  return reader.read().history(options);
}

// Whether the object at the cursor has a "type" that only Jepsen operations have.
bool is_operation(JsonFormCursor& cursor) {
  if (cursor.peek() != FormShape::Map) return false;
  cursor.open();
  while (cursor.more()) {
    if (cursor.field() == "type" && cursor.peek() == FormShape::Scalar && cursor.at_word()) {
      const std::string_view word = cursor.word();
      return word == "invoke" || word == "ok" || word == "fail" || word == "info";
    }
    cursor.skip();
  }
  return false;
}

}  // namespace

// The first form, or the first inside one bracket, is a map whose first field is a keyword.
bool looks_like_jepsen_edn(std::string_view start) {
  return holds_at_start<EdnCursor>(start, [](EdnCursor& cursor) {
    if (cursor.peek() == FormShape::Sequence) {
      cursor.open();
      if (!cursor.more()) return cursor.at_end();
    }
    if (cursor.peek() != FormShape::Map) return false;
    cursor.open();
    return cursor.more() && *cursor.at() == ':';
  });
}

bool looks_like_jepsen_json(std::string_view start) {
  return holds_at_start<JsonFormCursor>(start, [](JsonFormCursor& cursor) {
    if (cursor.peek() != FormShape::Sequence) return false;
    cursor.open();
    return cursor.more() ? is_operation(cursor) : cursor.at_end();
  });
}

bool looks_like_jepsen_jsonl(std::string_view start) {
  return holds_at_start<JsonFormCursor>(start, is_operation);
}

bool looks_like_jepsen_text(std::string_view start) {
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  const std::string_view line = start.substr(first);
  return begins_operation(line.substr(0, line.find('\n'))) || is_jepsen_util_log(start);
}

History read_jepsen_edn(ByteStream& stream, const ReadOptions& options) {
  return read_jepsen_maps<EdnCursor>(stream, options);
}

History read_jepsen_json(ByteStream& stream, const ReadOptions& options) {
  return read_jepsen_maps<JsonFormCursor>(stream, options);
}

History read_jepsen_text(ByteStream& stream, const ReadOptions& options) {
  JepsenTextReader<JepsenHistorySink<EdnCursor>> reader(stream, options);
  return reader.read().history(options);
}

void write_jepsen_edn(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_jepsen(history, kEdn, out, lossy);
}

void write_jepsen_json(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_jepsen(history, kJsonArray, out, lossy);
}

void write_jepsen_jsonl(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_jepsen(history, kJsonLines, out, lossy);
}

void write_jepsen_text(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_jepsen(history, kColumns, out, lossy);
}

}  // namespace serval
