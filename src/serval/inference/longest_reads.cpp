#include "serval/inference/longest_reads.h"

#include <cstring>

namespace serval {
namespace {

// Values are equal exactly when their bits are (V1).
bool starts_with(std::span<const Value> list, std::span<const Value> prefix) {
  return list.size() >= prefix.size() &&
         (prefix.empty() || std::memcmp(list.data(), prefix.data(), prefix.size_bytes()) == 0);
}

}  // namespace

bool LongestReads::extends(std::span<const Value> shown, const LongestRead& longest_read) const {
  return longest_read.read.is_none() || starts_with(shown, elements_shown(history_, longest_read.read));
}

void LongestReads::choose(const ListRead& read) {
  LongestRead& longest_read = longest_reads_[read.key.index];
  longest_read = {.read = read.read, .sources = {}, .prefixes = {}};
  for (const Value element : elements_shown(history_, read.read))
    longest_read.sources.push_back(index_.find(read.key, element));
}

bool LongestReads::agrees(const ListRead& read) {
  const std::span<const Value> shown = elements_shown(history_, read.read);
  LongestRead& longest_read = longest_reads_[read.key.index];
  if (shown.empty() || read.read == longest_read.read) return true;
  if (shown.size() > longest_read.sources.size()) return false;
  if (longest_read.prefixes.size() <= shown.size())
    longest_read.prefixes.resize(longest_read.sources.size() + 1);
  Value& known = longest_read.prefixes[shown.size()];
  if (known == history_.value(read.read)) return true;
  if (!starts_with(elements_shown(history_, longest_read.read), shown)) return false;
  known = history_.value(read.read);
  return true;
}

}  // namespace serval
