#include "serval/inference/list_trunks.h"

#include <cstring>

namespace serval {
namespace {

// Values are equal exactly when their bits are (V1).
bool starts_with(std::span<const Value> list, std::span<const Value> prefix) {
  return list.size() >= prefix.size() &&
         (prefix.empty() || std::memcmp(list.data(), prefix.data(), prefix.size_bytes()) == 0);
}

}  // namespace

bool ListTrunks::extends(std::span<const Value> shown, const Trunk& trunk) const {
  return trunk.read.is_none() || starts_with(shown, elements_shown(history_, trunk.read));
}

void ListTrunks::choose(const ListRead& read) {
  Trunk& trunk = trunks_[read.key.index];
  trunk = {.read = read.read, .sources = {}, .prefixes = {}};
  for (const Value element : elements_shown(history_, read.read))
    trunk.sources.push_back(index_.find(read.key, element));
}

bool ListTrunks::agrees(const ListRead& read) {
  const std::span<const Value> shown = elements_shown(history_, read.read);
  Trunk& trunk = trunks_[read.key.index];
  if (shown.empty() || read.read == trunk.read) return true;
  if (shown.size() > trunk.sources.size()) return false;
  if (trunk.prefixes.size() <= shown.size()) trunk.prefixes.resize(trunk.sources.size() + 1);
  Value& known = trunk.prefixes[shown.size()];
  if (known == history_.value(read.read)) return true;
  if (!starts_with(elements_shown(history_, trunk.read), shown)) return false;
  known = history_.value(read.read);
  return true;
}

}  // namespace serval
