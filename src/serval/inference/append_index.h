#pragma once
// Which transaction appended an element to a list. Aborted transactions are reported only if no other
// transaction appended the element. O(1) expected time per lookup; building is linear.

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
    std::uint32_t append = ListAppend::kNone;  // One of the appends; below append_count().
  };
  AppendIndex(const History& history, const ListAccesses& lists, Budget& budget);

  Source find(KeyId key, Value element) const noexcept;
  void prefetch(KeyId key, Value element) const noexcept { table_.prefetch(key, element); }

  // Appends of ListAccesses first, then the aborted ones.
  std::size_t append_count() const noexcept { return lists_.appends.size() + aborted_.size(); }
  OperationId operation(std::uint32_t append) const {
    return append < lists_.appends.size() ? lists_.appends[append].op
                                          : aborted_[append - lists_.appends.size()];
  }

  // How often transactions that did not abort appended the element. The first call takes linear time:
  // meant for elements that already look wrong.
  std::ptrdiff_t times_appended(KeyId key, Value element) const;

 private:
  const History& history_;
  const ListAccesses& lists_;
  std::vector<OperationId> aborted_;
  VersionTable table_;
  mutable absl::flat_hash_map<std::pair<KeyId, Value>, std::ptrdiff_t> times_;
};

}  // namespace serval
