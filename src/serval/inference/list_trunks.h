#pragma once
// For each list the longest read of it, its trunk: every other read of the list should show a prefix of it,
// and then it is the order of the versions. A list is compared with its trunk once for each length, because
// equal lists are one value (V1): O(elements) of the distinct lists, however often they are read.

#include <vector>

#include "serval/inference/append_index.h"

namespace serval {

struct Trunk {
  OperationId read = OperationId::none();    // none(): nobody read an element of it.
  std::vector<AppendIndex::Source> sources;  // By position.
  std::vector<Value> prefixes;               // By length: a list that is known to be a prefix, or nil.
};

class ListTrunks {
 public:
  ListTrunks(const History& history, const ListFootprints& lists, Budget& budget)
      : history_(history), lists_(lists), index_(history, lists, budget), trunks_(history.key_count()) {}

  const Trunk& operator[](KeyId key) const { return trunks_[key.index]; }
  const AppendIndex& index() const noexcept { return index_; }

  // The lists that a transaction read, which takes part: whoever appended what they show takes part, too.
  // Calls observed(writer) for those that are certain. Of equally long reads the first stays the trunk.
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

  // Makes this read the trunk of its key.
  void choose(const ListRead& read);
  // Whether the read shows a prefix of the trunk.
  bool agrees(const ListRead& read);

 private:
  template <class Tell>
  void offer(const ListRead& read, Tell&& tell) {
    const std::span<const Value> shown = elements_shown(history_, read.read);
    Trunk& trunk = trunks_[read.key.index];
    if (shown.size() <= trunk.sources.size()) return;
    if (!extends(shown, trunk)) trunk = {};
    trunk.read = read.read;
    for (std::size_t i = trunk.sources.size(); i < shown.size(); ++i) {
      trunk.sources.push_back(index_.find(read.key, shown[i]));
      tell(trunk.sources.back());
    }
  }

  bool extends(std::span<const Value> shown, const Trunk& trunk) const;

  const History& history_;
  const ListFootprints& lists_;
  AppendIndex index_;
  std::vector<Trunk> trunks_;
};

}  // namespace serval
