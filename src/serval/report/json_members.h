#pragma once
// Members that several JSON reports have in the same form.

#include <functional>
#include <optional>
#include <string_view>

#include "serval/base/json_writer.h"

namespace serval {

// "name": [...], with the text that `text_of` gives for each element.
template <class Texts, class TextOf = std::identity>
void put_texts(JsonWriter& json, std::string_view name, const Texts& texts, const TextOf& text_of = {}) {
  json.key(name).begin_array();
  for (const auto& one : texts) json.text(std::invoke(text_of, one));
  json.end();
}

// "name": null if the text is empty.
inline void put_text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  text.empty() ? json.null() : json.text(text);
}

template <class Number>
void put_number_or_null(JsonWriter& json, std::string_view name, const std::optional<Number>& number) {
  json.key(name);
  number ? json.number(*number) : json.null();
}

template <class Phases>
void put_phases(JsonWriter& json, const Phases& phases) {
  json.key("phases").begin_object();
  for (const auto& [name, seconds] : phases) json.key(name).number(seconds);
  json.end();
}

// The begin of a report on one file: the schema, the tool, and the "input", which is left open for further
// members.
template <class Report>
void begin_report(JsonWriter& json, std::string_view schema, const Report& report) {
  json.begin_object().key("schema").text(schema);
  json.key("tool").begin_object().key("name").text("serval").key("version").text(report.version).end();
  json.key("input").begin_object().key("path").text(report.path);
  put_text_or_null(json, "format", report.format);
  put_texts(json, "notices", report.notices);
}

}  // namespace serval
