#pragma once
// What is wrong with a list regardless of who read it: elements that nobody or only an aborted
// transaction appended, repeated elements, appends of one transaction in the wrong order. Only the first
// of each kind, so that inspecting the longest read of a list covers every prefix of it.

#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/inference/append_index.h"

namespace serval {

struct ListFaults {
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  struct Place {
    std::size_t position = kNowhere;
    OperationId append = OperationId::none();  // The append that was seen, or the one missing before it.
    bool within(std::size_t length) const noexcept { return position < length; }
  };
  Place thin_air, aborted, duplicate, disordered;
  Place several;  // Not a fault: several transactions appended the element, so its writer is unknown.

  bool any() const noexcept;
};

// Inspects one list after another; O(n) for a list of n elements.
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
  std::vector<std::uint32_t> seen_in_;  // By append: the number of the last list that contained it.
  std::uint32_t list_ = 0;
  absl::flat_hash_map<Value, std::ptrdiff_t> again_;    // Number of occurrences of repeated elements.
  absl::flat_hash_map<Value, std::ptrdiff_t> unknown_;  // Elements that nobody appended.
};

}  // namespace serval
