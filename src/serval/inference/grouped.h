#pragma once
// Values by row, each row in the order in which its values are visited: a counting sort.
//
//   const Jagged<TransactionId> writers = grouped<TransactionId>(keys, [&](auto&& visit) {
//     for (...) visit(key.index, t);                           // The same both times it is called.
//   });

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "serval/base/jagged.h"

namespace serval {

template <class T, class ForEach>
Jagged<T> grouped(std::size_t rows, ForEach&& for_each) {
  std::vector<std::uint64_t> offsets(rows + 1, 0);
  for_each([&](std::size_t row, const T&) { ++offsets[row + 1]; });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<T> values(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for_each([&](std::size_t row, const T& value) { values[next[row]++] = value; });
  return {std::move(offsets), std::move(values)};
}

}  // namespace serval
