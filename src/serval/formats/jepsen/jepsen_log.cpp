#include "serval/formats/jepsen/jepsen_log.h"

#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/formats/forms/edn_cursor.h"
#include "serval/formats/forms/json_form_cursor.h"
#include "serval/formats/jepsen/jepsen_file_reader.h"
#include "serval/formats/jepsen/jepsen_operation_reader.h"
#include "serval/formats/jepsen/jepsen_text_line.h"

namespace serval {
namespace {

template <class Cursor>
class LogSink {
 public:
  explicit LogSink(Cursor& cursor) : cursor_(cursor), reader_(cursor, log_.values) {}

  void take_map() {
    entry_ = ClientEntry();
    reader_.read(operation_, [this](std::string_view name) {
      name == "key" ? read_key() : read_field(jepsen_field_named(name));
    });
    keep();
  }
  void take_columns() {
    entry_ = ClientEntry();
    reader_.read_columns(operation_, [this](JepsenField column) { read_field(column); });
    keep();
  }

  void reserve_after(double share) {
    log_.entries.reserve(static_cast<std::size_t>(static_cast<double>(log_.entries.size()) / share * 1.05));
  }
  void at_line(std::uint64_t line) { line_ = line; }
  ClientLog log(std::string file) {
    log_.file = std::move(file);
    return std::move(log_);
  }

 private:
  void read_field(JepsenField field) {
    if (field == JepsenField::Argument) {
      entry_.value = read_form_value(cursor_, log_.values);
    } else {
      reader_.read_field(field, operation_);
    }
  }
  void read_key() {
    const FormValue key = read_form_value(cursor_, log_.values);
    entry_.key = key.is_scalar() ? key.scalar : Value::unknown();
  }
  void keep() {
    entry_.line = line_;
    entry_.type = operation_.type;
    entry_.process = operation_.process;
    entry_.f = std::move(operation_.f);
    entry_.index = operation_.index.value_or(static_cast<std::int64_t>(log_.entries.size()));
    entry_.time = operation_.time;
    entry_.error = std::move(operation_.error);
    if (log_.is_client(entry_) || entry_.process.is_nil()) require_type(operation_);
    log_.entries.push_back(std::move(entry_));
  }
  Cursor& cursor_;
  ClientLog log_;
  JepsenOperationReader<Cursor> reader_;
  JepsenOperation operation_;
  ClientEntry entry_;
  std::uint64_t line_ = 0;
};

template <class Cursor>
ClientLog read_maps(ByteStream& stream, const ReadOptions& options) {
  return JepsenFileReader<Cursor, LogSink<Cursor>>(stream, options).read().log(stream.name());
}

}  // namespace

ClientLog read_jepsen_log(ByteStream& stream, const ReadOptions& options) {
  const FormatInfo& format = format_of(stream, options);
  if (options.on_format) options.on_format(format);
  switch (format.format) {
    case Format::JepsenEdn:
      return read_maps<EdnCursor>(stream, options);
    case Format::JepsenJson:
    case Format::JepsenJsonl:
      return read_maps<JsonFormCursor>(stream, options);
    case Format::JepsenText:
      return JepsenTextReader<LogSink<EdnCursor>>(stream, options).read().log(stream.name());
    default:
      throw InputError({stream.name()},
                       fmt::format("this is {}, which contains no Jepsen operations", format.name), {},
                       "models need a Jepsen history: edn, json, jepsen-jsonl or jepsen-text");
  }
}

ClientLog read_jepsen_log(const std::string& path, const ReadOptions& options) {
  ByteStream stream = ByteStream::open(path, options.budget);
  return read_jepsen_log(stream, options);
}

}  // namespace serval
