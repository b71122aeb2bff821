#include "serval/formats/jepsen/jepsen_json.h"

#include "serval/formats/forms/json_form_cursor.h"
#include "serval/formats/jepsen/jepsen_history_sink.h"
#include "serval/formats/jepsen/jepsen_writer.h"

namespace serval {
namespace {

bool is_jepsen_type(std::string_view word) {
  return word == "invoke" || word == "ok" || word == "fail" || word == "info";
}

// Whether the object at the cursor has a "type" that only Jepsen operations have.
bool is_operation(JsonFormCursor& cursor) {
  if (cursor.peek() != FormShape::Map) return false;
  cursor.open();
  while (cursor.more()) {
    if (cursor.field() == "type" && cursor.peek() == FormShape::Scalar && cursor.at_word())
      return is_jepsen_type(cursor.word());
    cursor.skip();
  }
  return false;
}

constexpr JepsenSpelling kArray{.before_name = "\"",
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

constexpr JepsenSpelling kLines = [] {
  JepsenSpelling lines = kArray;
  lines.before_all = "";
  lines.between_maps = lines.after_all = "\n";
  return lines;
}();

enum class Around { Array, Nothing };

bool starts_with_operation(std::string_view start, Around around) {
  const std::string text(start);  // With the '\0' that the cursor stops at.
  JsonFormCursor cursor;
  cursor.start(text.data(), text.data() + text.size());
  try {
    if (around == Around::Array) {
      if (cursor.peek() != FormShape::Sequence) return false;
      cursor.open();
      if (!cursor.more()) return cursor.at_end();
    }
    return is_operation(cursor);
  } catch (const FormEnds&) {
    return false;
  } catch (const FormProblem&) {
    return false;
  }
}

}  // namespace

bool looks_like_jepsen_json(std::string_view start) { return starts_with_operation(start, Around::Array); }
bool looks_like_jepsen_jsonl(std::string_view start) { return starts_with_operation(start, Around::Nothing); }

History read_jepsen_json(ByteStream& stream, const ReadOptions& options) {
  return read_jepsen_maps<JsonFormCursor>(stream, options);
}

History read_jepsen_jsonl(ByteStream& stream, const ReadOptions& options) {
  return read_jepsen_maps<JsonFormCursor>(stream, options);
}

void write_jepsen_json(const History& history, const std::function<void(std::string_view)>& out,
                       const std::function<void(const std::string&)>& lossy) {
  write_jepsen(history, kArray, out, lossy);
}

void write_jepsen_jsonl(const History& history, const std::function<void(std::string_view)>& out,
                        const std::function<void(const std::string&)>& lossy) {
  write_jepsen(history, kLines, out, lossy);
}

}  // namespace serval
