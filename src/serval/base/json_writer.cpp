#include "serval/base/json_writer.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/printable.h"
#include "serval/base/utf8.h"

namespace serval {
namespace {

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    default:
      out += is_printable(static_cast<unsigned char>(c)) ? std::string(1, c)
                                                         : escaped_code_point(static_cast<unsigned char>(c));
  }
}

}  // namespace

JsonWriter& JsonWriter::end() {
  expects(!closings_.empty(), "an open object or array");
  out_ += closings_.back();
  closings_.pop_back();
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  out_ += '"';
  while (!value.empty()) {
    const std::size_t length = utf8_length(value);
    if (length == 0)
      out_ += "\xEF\xBF\xBD";
    else if (length == 1)
      append_escaped(out_, value.front());
    else
      append_printable(out_, value.substr(0, length));
    value.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  std::string spelled = fmt::format("{:.9f}", value);
  while (spelled.ends_with('0')) spelled.pop_back();
  if (spelled.ends_with('.')) spelled.pop_back();
  return raw(spelled);
}

JsonWriter& JsonWriter::open(char opening, char closing) {
  separate();
  out_ += opening;
  closings_.push_back(closing);
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view spelled) {
  separate();
  out_ += spelled;
  needs_comma_ = true;
  return *this;
}

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
}

}  // namespace serval
