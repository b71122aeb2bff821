#pragma once
// Writes JSON into a string, one value after another. The output is always valid UTF-8: invalid bytes
// become U+FFFD.
//
//   JsonWriter json;
//   json.begin_object().key("verdict").text("valid").key("txns").number(3).end();
//   json.take() == R"({"verdict":"valid","txns":3})"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace serval {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{', '}'); }
  JsonWriter& begin_array() { return open('[', ']'); }
  JsonWriter& end();
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::uint64_t value) { return raw(std::to_string(value)); }
  JsonWriter& number(std::int64_t value) { return raw(std::to_string(value)); }
  JsonWriter& number(int value) { return raw(std::to_string(value)); }
  JsonWriter& number(double value);  // Up to nine decimal places; null unless finite.
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }

  std::string take() { return std::move(out_); }

 private:
  JsonWriter& open(char opening, char closing);
  JsonWriter& raw(std::string_view spelled);
  void separate();

  std::string out_;
  std::vector<char> closings_;
  bool needs_comma_ = false;
};

}  // namespace serval
