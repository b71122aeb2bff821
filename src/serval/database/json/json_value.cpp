#include "serval/database/json/json_value.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "serval/base/json_string.h"

namespace serval {
namespace {

using Kind = JsonValue::Kind;
using Library = nlohmann::json;

constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kShown = 200;  // Bytes of the input in a message.

// Callbacks for nlohmann::json while it parses. Its own tree would turn numbers beyond 64 bits into
// doubles.
class TreeBuilder {
 public:
  bool null() { return add({}); }
  bool boolean(bool value) { return add({.kind = Kind::Boolean, .boolean = value}); }
  bool number_integer(std::int64_t value) { return number(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return number(std::to_string(value)); }
  bool number_float(double, const std::string& spelled) { return number(spelled); }
  bool string(std::string& value) { return add({.kind = Kind::Text, .text = std::move(value)}); }
  bool binary(Library::binary_t&) { return false; }  // Not in JSON.

  bool start_object(std::size_t) { return open(Kind::Object); }
  bool start_array(std::size_t) { return open(Kind::Array); }
  bool end_object() {
    refuse_equal_names(open_.back().names);
    return close();
  }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    open_.back().names.push_back(std::move(name));
    return true;
  }

  // `read`: number of bytes read, including the wrong one.
  bool parse_error(std::size_t read, const std::string&, const Library::exception& error) {
    const std::string_view message = error.what();  // "[json.exception.parse_error.101] parse error ..."
    throw JsonError(std::string(message.substr(message.find("] ") + 2, kShown)), read - 1);
  }

  JsonValue take() { return std::move(root_); }

 private:
  bool number(std::string spelled) { return add({.kind = Kind::Number, .text = std::move(spelled)}); }
  bool add(JsonValue value) {
    (open_.empty() ? root_ : open_.back().items.emplace_back()) = std::move(value);
    return true;
  }
  bool open(Kind kind) {
    if (open_.size() > kMaxDepth) throw JsonError("the document is nested too deeply");
    open_.push_back({.kind = kind});
    return true;
  }
  static void refuse_equal_names(const std::vector<std::string>& names) {
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::ranges::sort(sorted);
    const auto equal = std::ranges::adjacent_find(sorted);
    if (equal == sorted.end()) return;
    throw JsonError("an object has two members with the name " + json_string(equal->substr(0, kShown)));
  }
  bool close() {
    JsonValue value = std::move(open_.back());
    open_.pop_back();
    return add(std::move(value));
  }

  std::vector<JsonValue> open_;  // From the outermost to the innermost.
  JsonValue root_;
};

}  // namespace

const JsonValue& JsonValue::operator[](std::string_view name) const {
  static const JsonValue kNone;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return items[i];
  return kNone;
}

std::optional<std::int64_t> JsonValue::whole() const {
  if (kind != Kind::Number && kind != Kind::Text) return std::nullopt;
  std::int64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return out;
}

JsonValue parse_json(std::string_view text) {
  TreeBuilder tree;
  Library::sax_parse(text, &tree);
  return tree.take();
}

}  // namespace serval
