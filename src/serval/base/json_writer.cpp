#include "serval/base/json_writer.h"

#include <cmath>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/json_string.h"

namespace serval {

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
  append_json_string(out_, value, JsonBytes::Printable);
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
