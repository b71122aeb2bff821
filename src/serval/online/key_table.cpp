#include "serval/online/key_table.h"

#include <charconv>

namespace serval::online {

std::uint32_t KeyTable::add(Name name) {
  const std::lock_guard lock(names_mutex_);
  names_.push_back(name);
  return count_++;
}

// A text that names a key of another kind begins with a byte that no text begins with.
std::uint32_t KeyTable::intern(const TraceValue& key, std::string_view column) {
  if (key.is_integer() && column.empty()) {
    const auto [found, is_new] = integers_.try_emplace(key.integer, count_);
    if (is_new) add({.integer = key.integer});
    return found->second;
  }
  scratch_.clear();
  if (key.has_text()) {
    scratch_ += key.text();
  } else {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, key.integer).ptr;
    scratch_.assign(1, '\xFF').append(digits, end);
  }
  if (!column.empty()) scratch_.append(1, '\xFE').append(column);
  const auto found = texts_.find(scratch_);
  if (found != texts_.end()) return found->second;
  texts_.emplace(scratch_, count_);
  return add({.text = &spellings_.emplace_back(scratch_)});
}

std::string KeyTable::spell(std::uint32_t key) const {
  const std::lock_guard lock(names_mutex_);
  const Name& name = names_[key];
  if (name.text == nullptr) return std::to_string(name.integer);
  std::string out;
  for (const char c : *name.text)
    if (c == '\xFE')
      out += '.';
    else if (c != '\xFF')
      out += c;
  return out;
}

}  // namespace serval::online
