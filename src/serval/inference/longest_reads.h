#pragma once
// The longest read of each list. If every other read of the list shows a prefix of it, the longest read
// is the version order. Lists of one length are compared with it once, because equal lists are one value
// (V1): O(elements) of the distinct lists, however often they are read.

#include <vector>

#include "serval/inference/append_index.h"

namespace serval {

struct LongestRead {
  OperationId read = OperationId::none();    // none(): nobody read an element of it.
  std::vector<AppendIndex::Source> sources;  // By position.
  std::vector<Value> prefixes;               // By length: a list known to be a prefix, or nil.
};

class LongestReads {
 public:
  LongestReads(const History& history, const ListAccesses& lists, Budget& budget)
      : history_(history),
        lists_(lists),
        index_(history, lists, budget),
        longest_reads_(history.key_count()) {}

  const LongestRead& operator[](KeyId key) const { return longest_reads_[key.index]; }
  const AppendIndex& index() const noexcept { return index_; }

  // Processes the lists read by a participating transaction; the transactions that appended their
  // elements then participate as well. Calls observed(writer) for writers that are certain. The first of
  // several longest reads counts.
  template <class Observed>
  void observe(TransactionId reader, Observed&& observed) {
    const auto tell = [&](AppendIndex::Source source) {
      if (source.origin == AppendIndex::Origin::One) observed(lists_.appends[source.append].writer);
    };
    for (const ListRead& read : lists_.reads_of(reader)) {
      offer(read, tell);
      if (agrees(read)) continue;
      for (const Value element : elements_shown(history_, read.read)) tell(index_.find(read.key, element));
    }
  }

  // Makes this read the longest read of its key.
  void choose(const ListRead& read);
  // Whether the read shows a prefix of the longest read.
  bool agrees(const ListRead& read);

 private:
  template <class Tell>
  void offer(const ListRead& read, Tell&& tell) {
    const std::span<const Value> shown = elements_shown(history_, read.read);
    LongestRead& longest_read = longest_reads_[read.key.index];
    if (shown.size() <= longest_read.sources.size()) return;
    if (!extends(shown, longest_read)) longest_read = {};
    longest_read.read = read.read;
    for (std::size_t i = longest_read.sources.size(); i < shown.size(); ++i) {
      longest_read.sources.push_back(index_.find(read.key, shown[i]));
      tell(longest_read.sources.back());
    }
  }

  bool extends(std::span<const Value> shown, const LongestRead& longest_read) const;

  const History& history_;
  const ListAccesses& lists_;
  AppendIndex index_;
  std::vector<LongestRead> longest_reads_;
};

}  // namespace serval
