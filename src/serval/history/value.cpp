#include "serval/history/value.h"

#include <algorithm>
#include <deque>

#include <absl/container/flat_hash_map.h>
#include <xxhash.h>

#include "serval/base/contract.h"
#include "serval/base/decimal_number.h"
#include "serval/base/jagged.h"
#include "serval/base/printable.h"

namespace serval {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "+007" -> "7", "-0" -> "0"; anything that is not a plain integer is returned unchanged.
std::string canonical_number(std::string_view decimal) {
  std::string_view digits = decimal;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (!is_digits(digits)) return std::string(decimal);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return (negative && digits != "0" ? "-" : "") + std::string(digits);
}

bool is_plain_word(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9') || text == "_" || text == "true" || text == "false")
    return false;
  return std::ranges::all_of(text,
                             [](char c) {
                               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                      (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' || c == '-';
                             }) &&
         text[0] != '-';
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return printable(out) + '"';
}

}  // namespace

struct ValuePool::State {
  std::deque<std::string> spellings;  // A deque keeps addresses stable, so the map can hold views.
  // The kind is part of the key: the text "1.5" and the number 1.5 differ.
  absl::flat_hash_map<std::pair<Value::Kind, std::string_view>, std::uint64_t> index_of_spelling;
  Jagged<Value> lists;
  // Hash of the elements -> the latest list with that hash; older ones follow through older_list.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> latest_list;
  std::vector<std::uint64_t> older_list;

  Value intern(Value::Kind kind, std::string_view characters) {
    if (const auto found = index_of_spelling.find({kind, characters}); found != index_of_spelling.end())
      return Value::pooled(kind, found->second);
    const std::uint64_t index = spellings.size();
    spellings.emplace_back(characters);
    index_of_spelling.emplace(std::pair(kind, std::string_view(spellings.back())), index);
    return Value::pooled(kind, index);
  }
};

namespace {
constexpr std::uint64_t kNoList = ~std::uint64_t{0};
}  // namespace

ValuePool::ValuePool() : state_(std::make_unique<State>()) {}
ValuePool::ValuePool(ValuePool&&) noexcept = default;
ValuePool& ValuePool::operator=(ValuePool&&) noexcept = default;
ValuePool::~ValuePool() = default;

Value ValuePool::integer(std::int64_t number) {
  if (number >= Value::kMinInline && number <= Value::kMaxInline) return Value::integer(number);
  return state_->intern(Value::Kind::Number, std::to_string(number));
}

Value ValuePool::number(std::string_view decimal) {
  const std::string canonical = canonical_number(decimal);
  if (const auto number = parse_integer<std::int64_t>(canonical)) return integer(*number);
  return state_->intern(Value::Kind::Number, canonical);
}

Value ValuePool::text(std::string_view text) { return state_->intern(Value::Kind::Text, text); }

Value ValuePool::row(std::string_view canonical_json) {
  return state_->intern(Value::Kind::Row, canonical_json);
}

Value ValuePool::list(std::span<const Value> elements) {
  const std::uint64_t hash = XXH3_64bits(elements.data(), elements.size_bytes());
  const auto [slot, fresh] = state_->latest_list.try_emplace(hash, kNoList);
  for (std::uint64_t index = slot->second; index != kNoList; index = state_->older_list[index]) {
    if (std::ranges::equal(state_->lists[index], elements)) return Value::pooled(Value::Kind::List, index);
  }
  const std::uint64_t index = state_->lists.rows();
  state_->lists.push_row(elements);
  state_->older_list.push_back(slot->second);
  slot->second = index;
  return Value::pooled(Value::Kind::List, index);
}

Value ValuePool::adopt(const ValuePool& from, Value value) {
  switch (value.kind()) {
    case Value::Kind::Number:
      return number(from.characters(value));
    case Value::Kind::Text:
      return text(from.characters(value));
    case Value::Kind::Row:
      return row(from.characters(value));
    case Value::Kind::List: {
      std::vector<Value> copies;
      for (const Value element : from.elements(value)) copies.push_back(adopt(from, element));
      return list(copies);
    }
    default:
      return value;
  }
}

std::string_view ValuePool::characters(Value value) const {
  expects(value.kind() == Value::Kind::Number || value.kind() == Value::Kind::Text ||
              value.kind() == Value::Kind::Row,
          "a value stored by its spelling");
  expects(value.pool_index() < state_->spellings.size(), "a value of this pool");
  return state_->spellings[value.pool_index()];
}

std::span<const Value> ValuePool::elements(Value list) const {
  expects(list.is_list(), "a list");
  return state_->lists[list.pool_index()];
}

std::string ValuePool::format(Value value) const {
  switch (value.kind()) {
    case Value::Kind::Integer:
      return std::to_string(value.as_integer());
    case Value::Kind::Nil:
      return "_";
    case Value::Kind::Unknown:
      return "?";
    case Value::Kind::Boolean:
      return value.as_boolean() ? "true" : "false";
    case Value::Kind::Number:
    case Value::Kind::Row:
      return std::string(characters(value));
    case Value::Kind::Text:
      return is_plain_word(characters(value)) ? std::string(characters(value)) : quoted(characters(value));
    case Value::Kind::List:
      break;
  }
  std::string out = "[";
  for (const Value element : elements(value)) out += (out.size() > 1 ? " " : "") + format(element);
  return out + "]";
}

std::size_t ValuePool::spelling_count() const noexcept { return state_->spellings.size(); }
std::size_t ValuePool::list_count() const noexcept { return state_->lists.rows(); }

}  // namespace serval
