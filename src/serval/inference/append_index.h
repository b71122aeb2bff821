#pragma once
// Who appended an element to a list. Aborted transactions are told only where no other one appended the
// element. O(1) expected time; building is linear.

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/inference/list_accesses.h"
#include "serval/inference/version_table.h"

namespace serval {

class AppendIndex {
 public:
  enum class Origin : std::uint8_t { Nobody, Aborted, Several, One };
  struct Source {
    Origin origin = Origin::Nobody;
    std::uint32_t append = ListAppend::kNone;  // One of them; below append_count().
  };
  AppendIndex(const History& history, const ListAccesses& lists, Budget& budget);

  Source find(KeyId key, Value element) const noexcept;
  void prefetch(KeyId key, Value element) const noexcept { table_.prefetch(key, element); }

  // Those of ListAccesses first, then the aborted ones.
  std::size_t append_count() const noexcept { return lists_.appends.size() + aborted_.size(); }
  OperationId operation(std::uint32_t append) const {
    return append < lists_.appends.size() ? lists_.appends[append].op
                                          : aborted_[append - lists_.appends.size()];
  }

  // How often transactions that did not abort appended the element. The first call takes linear time: for
  // what looks wrong anyway.
  std::ptrdiff_t times_appended(KeyId key, Value element) const;

 private:
  const History& history_;
  const ListAccesses& lists_;
  std::vector<OperationId> aborted_;
  VersionTable table_;
  mutable absl::flat_hash_map<std::pair<KeyId, Value>, std::ptrdiff_t> times_;
};

}  // namespace serval
