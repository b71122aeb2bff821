#pragma once
// What is wrong with a list by itself, wherever it was read: elements that nobody appended or that an aborted
// transaction did, elements that stand there twice, appends of one transaction in the wrong order. The first
// of each sort, so that one look at the longest read of a list tells for every prefix of it.

#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/inference/append_index.h"

namespace serval {

struct ListFaults {
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  struct Place {
    std::size_t position = kNowhere;
    OperationId append = OperationId::none();  // The one seen, or the one missing before it.
    bool within(std::size_t length) const noexcept { return position < length; }
  };
  Place thin_air, aborted, duplicate, disordered;
  Place several;  // No fault: several transactions appended the element, so nobody knows whose it is.

  bool any() const noexcept;
};

// Looks at lists one after another; a list of n elements takes O(n).
class ListInspector {
 public:
  ListInspector(const History& history, const ListAccesses& lists, const AppendIndex& index)
      : history_(history), lists_(lists), index_(index), seen_in_(index.append_count(), 0) {}

  ListFaults inspect(KeyId key, std::span<const Value> shown, std::span<const AppendIndex::Source> sources);

 private:
  void judge(AppendIndex::Source source, std::size_t position, ListFaults& faults) const;
  void judge_repetition(KeyId key, Value element, std::ptrdiff_t times, std::size_t position,
                        ListFaults& faults) const;
  void judge_order(std::uint32_t append, std::size_t position, ListFaults& faults) const;
  bool seen_before(Value element, AppendIndex::Source source);

  const History& history_;
  const ListAccesses& lists_;
  const AppendIndex& index_;
  std::vector<std::uint32_t> seen_in_;  // By append: the number of the last list that had it.
  std::uint32_t list_ = 0;
  absl::flat_hash_map<Value, std::ptrdiff_t> again_;    // How often elements were met, of those met again.
  absl::flat_hash_map<Value, std::ptrdiff_t> unknown_;  // Elements that nobody appended.
};

}  // namespace serval
