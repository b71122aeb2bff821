#include "serval/base/json_writer.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "serval/base/contract.h"

namespace serval {
namespace {

// Length of the UTF-8 sequence at the front of `text`, 0 when it is not one (RFC 3629).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;  // Overlong.
  if (lead == 0xED && byte(1) > 0x9F) return 0;  // Surrogates.
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      else
        out += c;
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
    const std::size_t length = sequence_length(value);
    if (length == 0)
      out_ += "\xEF\xBF\xBD";
    else if (length == 1)
      append_escaped(out_, value.front());
    else
      out_ += value.substr(0, length);
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
