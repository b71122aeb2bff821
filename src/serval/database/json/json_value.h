#pragma once
// A JSON document as a tree, for the short responses of servers and programs. It is parsed by
// nlohmann::json; only the tree is Serval's, and only json_value.cpp includes that library. Histories
// are read without a tree, by serval/formats.
//
//   const JsonValue answer = parse_json(R"({"kvs":[{"mod_revision":"5"}]})");
//   answer["kvs"].items.front()["mod_revision"].whole() == 5
//
// Numbers keep their digits, so that numbers of more than 64 bits stay distinct. Rejected: text that is
// not UTF-8, half of a surrogate pair, numbers beyond a double (1e999), more than 100 levels of nesting,
// two members of an object with the same name.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace serval {

class JsonError : public std::runtime_error {
 public:
  explicit JsonError(const std::string& problem, std::size_t offset = 0)
      : std::runtime_error(problem), offset_(offset) {}
  std::size_t offset() const noexcept { return offset_; }  // Of the byte at which parsing failed.

 private:
  std::size_t offset_;
};

struct JsonValue {
  enum class Kind : std::uint8_t { Null, Boolean, Number, Text, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  std::string text;                // For a number, its digits.
  std::vector<std::string> names;  // Of an object, one for each item.
  std::vector<JsonValue> items;

  // The member of an object; null if there is none.
  const JsonValue& operator[](std::string_view name) const;
  // A whole number of 64 bits, spelled as a number or in quotes (as protocol buffers do).
  std::optional<std::int64_t> whole() const;
  bool is(Kind wanted) const noexcept { return kind == wanted; }
};

// All of `text` must be one value. Throws JsonError.
JsonValue parse_json(std::string_view text);

}  // namespace serval
