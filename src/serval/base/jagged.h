#pragma once
// Rows of different lengths in two allocations: offsets and values (CSR). Append rows, then read.
//
//   Jagged<int> rows;
//   rows.push_row({1, 2});
//   rows[0].size() == 2

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "serval/base/contract.h"

namespace serval {

template <class T>
class Jagged {
 public:
  Jagged() = default;
  // Adopts ready-made columns: offsets.size() == rows + 1, offsets ascend from 0 to values.size().
  Jagged(std::vector<std::uint64_t> offsets, std::vector<T> values)
      : offsets_(std::move(offsets)), values_(std::move(values)) {
    expects(!offsets_.empty() && offsets_.front() == 0 && offsets_.back() == values_.size(),
            "offsets span the values");
  }

  std::size_t rows() const noexcept { return offsets_.size() - 1; }
  std::span<const T> operator[](std::size_t row) const {
    expects(row < rows(), "row within the table");
    return std::span(values_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
  }
  void push_row(std::span<const T> row) {
    values_.insert(values_.end(), row.begin(), row.end());
    offsets_.push_back(values_.size());
  }
  void push_row(std::initializer_list<T> row) { push_row(std::span<const T>(row.begin(), row.size())); }

  std::span<const T> values() const noexcept { return values_; }

 private:
  std::vector<std::uint64_t> offsets_{0};
  std::vector<T> values_;
};

}  // namespace serval
