#pragma once
// The predicates and rows of a history that a second opinion evaluates as well.
//
//   const PredicatePairs pairs(history, budget);
//   pairs.for_each(200'000, [&](const Predicate& condition, const Row& row) { ... });

#include <cstdint>
#include <functional>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval::cli {

class PredicatePairs {
 public:
  PredicatePairs(const History& history, Budget& budget);

  std::size_t conditions() const noexcept { return conditions_.size(); }
  std::size_t rows() const noexcept { return rows_.size(); }
  std::uint64_t count() const noexcept { return conditions_.size() * rows_.size(); }

  // Condition by condition. Of more than `most` pairs only a sample, which is spread evenly and is the
  // same every time.
  using Visit = std::function<void(const Predicate& condition, const Row& row)>;
  void for_each(std::uint64_t most, Budget& budget, const Visit& visit) const;

 private:
  std::vector<const Predicate*> conditions_;  // The distinct ones, in order of first use.
  std::vector<Row> rows_;  // Every distinct key and value that was written, or returned by a predicate.
};

}  // namespace serval::cli
