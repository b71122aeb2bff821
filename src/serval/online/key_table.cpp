#include "serval/online/key_table.h"

#include <charconv>
#include <utility>

#include <xxhash.h>

namespace serval::online {

std::uint32_t KeyTable::next() const {
  return free_.empty() ? static_cast<std::uint32_t>(names_.size()) : free_.back();
}

void KeyTable::add(std::uint32_t number, Name name) {
  const std::lock_guard lock(names_mutex_);
  if (number == names_.size()) {
    names_.push_back(std::move(name));
    return;
  }
  names_[number] = std::move(name);
  free_.pop_back();
}

// The text for a key of another kind, and for the empty text, begins with a byte that no text begins
// with.
std::uint32_t KeyTable::intern(const TraceValue& key, std::string_view column) {
  if (key.is_integer() && column.empty()) {
    const auto [found, is_new] = integers_.try_emplace(key.integer, next());
    if (is_new) add(found->second, {.integer = key.integer});
    return found->second;
  }
  scratch_.clear();
  if (key.has_text()) {
    if (key.text().empty()) scratch_ += '\xFD';
    scratch_ += key.text();
  } else {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, key.integer).ptr;
    scratch_.assign(1, '\xFF').append(digits, end);
  }
  if (!column.empty()) scratch_.append(1, '\xFE').append(column);
  const auto found = texts_.find(scratch_);
  if (found != texts_.end()) return found->second;
  const std::uint32_t number = next();
  add(number, {.text = scratch_});
  texts_.emplace(names_[number].text, number);
  return number;
}

void KeyTable::remove(std::uint32_t key) {
  const Name& name = names_[key];
  if (name.text.empty())
    integers_.erase(name.integer);
  else
    texts_.erase(name.text);
}

KeyTable::Hash KeyTable::hash(std::uint32_t key) const {
  const Name& name = names_[key];
  const XXH128_hash_t hash = name.text.empty() ? XXH3_128bits(&name.integer, sizeof name.integer)
                                               : XXH3_128bits_withSeed(name.text.data(), name.text.size(), 1);
  return {hash.high64, hash.low64};
}

// In the name of a column, an integer row is encoded with one more byte.
bool KeyTable::is_row_of(std::uint32_t row, std::uint32_t column) const {
  const std::lock_guard lock(names_mutex_);
  const std::string_view name = names_[column].text;
  const std::size_t end = name.find('\xFE');
  if (end == std::string_view::npos) return false;
  const Name& whole = names_[row];
  return name.substr(0, end) == (whole.text.empty() ? '\xFF' + std::to_string(whole.integer) : whole.text);
}

std::string KeyTable::format(std::uint32_t key) const {
  const std::lock_guard lock(names_mutex_);
  const Name& name = names_[key];
  if (name.text.empty()) return std::to_string(name.integer);
  std::string out;
  for (const char c : name.text)
    if (c == '\xFE')
      out += '.';
    else if (c != '\xFF' && c != '\xFD')
      out += c;
  return out;
}

}  // namespace serval::online
