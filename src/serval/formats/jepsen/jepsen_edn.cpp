#include "serval/formats/jepsen/jepsen_edn.h"

#include "serval/formats/forms/edn_cursor.h"
#include "serval/formats/jepsen/jepsen_history_sink.h"
#include "serval/formats/jepsen/jepsen_writer.h"

namespace serval {

// The first form, or the first inside one bracket, is a map whose first field is a keyword.
bool looks_like_jepsen_edn(std::string_view start) {
  const std::string text(start);  // With the '\0' that the cursor stops at.
  EdnCursor cursor;
  cursor.start(text.data(), text.data() + text.size());
  try {
    if (cursor.peek() == FormShape::Sequence) {
      cursor.open();
      if (!cursor.more()) return cursor.at_end();
    }
    if (cursor.peek() != FormShape::Map) return false;
    cursor.open();
    return cursor.more() && *cursor.at() == ':';
  } catch (const FormEnds&) {
    return false;
  } catch (const FormProblem&) {
    return false;
  }
}

History read_jepsen_edn(ByteStream& stream, const ReadOptions& options) {
  return read_jepsen_maps<EdnCursor>(stream, options);
}

void write_jepsen_edn(const History& history, const std::function<void(std::string_view)>& out,
                      const std::function<void(const std::string&)>& lossy) {
  write_jepsen(history, edn_spelling(), out, lossy);
}

}  // namespace serval
