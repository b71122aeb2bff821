#pragma once
// A state of the tables, read within one transaction: after the last transaction of the workload, or
// during it if that transaction sees one committed state.
//
//   FinalState state([&](const Request& request) { return client.perform(request); });
//   for (const std::string& problem : generator.broken_invariants(state)) ...

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "serval/workload/request.h"

namespace serval {

class FinalState {
 public:
  using Perform = std::function<Answer(const Request&)>;
  explicit FinalState(Perform perform) : perform_(std::move(perform)) {}

  std::optional<Answer::Row> row(std::uint32_t table, std::uint64_t key);
  // The existing rows among 0 to count - 1, one request each; needs no ranges.
  std::vector<Answer::Row> first_rows(std::uint32_t table, std::uint64_t count);
  // All rows, by a range over all keys; sorted by key.
  std::vector<Answer::Row> all_rows(std::uint32_t table);

 private:
  Perform perform_;
};

}  // namespace serval
