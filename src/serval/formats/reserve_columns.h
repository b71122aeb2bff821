#pragma once
// After the first piece of a file, reserves memory for the estimated rest, so that columns grow only
// once. Reserved pages that are never touched cost nothing; the estimate is capped at one operation per
// two bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "serval/history/history_builder.h"

namespace serval {

// `builder` holds the result of the first `piece` bytes of `file_size` (0: unknown).
inline void reserve_columns(HistoryBuilder& builder, std::uint64_t piece, std::uint64_t file_size) {
  if (piece == 0 || file_size <= piece) return;
  const double pieces = 1.05 * static_cast<double>(file_size) / static_cast<double>(piece);
  const auto scaled = [&](std::size_t count) {
    const double likely = std::min(pieces * static_cast<double>(count), static_cast<double>(file_size) / 2);
    return static_cast<std::size_t>(likely);
  };
  builder.reserve(scaled(builder.transaction_count()), scaled(builder.operation_count()));
}

}  // namespace serval
