#pragma once
// The requests of a transaction over rows and ranges that do not depend on responses. The table has a
// key, a column `place` for ranges, and a column `value`, the tag of the last write of the row.
//
//   RowPlan{.requests = {{.kind = RowRequest::Kind::Scan, .range = {.low = 3, .high = 5}}}}
//   SELECT ... WHERE place BETWEEN 3 AND 5

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace serval {

// Both ends included.
struct RowRange {
  enum class Column : std::uint8_t { Place, Key };
  // The form of the condition: BETWEEN, or >= AND <=.
  enum class Spelling : std::uint8_t { Between, Comparisons };

  Column column = Column::Place;
  Spelling spelling = Spelling::Between;
  std::int64_t low = 0, high = 0;

  // No range of places contains NULL.
  bool has(std::uint64_t key, std::optional<std::int64_t> place) const {
    if (column == Column::Key)
      return low <= static_cast<std::int64_t>(key) && static_cast<std::int64_t>(key) <= high;
    return place && low <= *place && *place <= high;
  }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

struct RowRequest {
  enum class Kind : std::uint8_t {
    Read,         // The row of a key.
    Write,        // INSERT ... ON CONFLICT DO UPDATE.
    Increment,    // Reads the row and writes it with the next place.
    Insert,       // If the key is absent.
    Delete,       // The row of a key.
    Scan,         // All rows of a range.
    Aggregate,    // An aggregate of these rows.
    UpdateRange,  // All of them: to `place`, or to (place + step) % places.
    DeleteRange,
  };
  enum class Function : std::uint8_t { CountAll, Count, Min, Max, Sum };  // Of place.

  Kind kind = Kind::Read;
  std::uint64_t key = 0;
  std::optional<std::int64_t> place;  // To write; nothing is NULL.
  RowRange range;
  Function function = Function::CountAll;
  std::int64_t step = 0;    // UpdateRange, from 1: computed from the row; 0: `place` is set.
  std::int64_t places = 1;  // The number of places, for steps.
};

constexpr bool only_reads(RowRequest::Kind kind) {
  return kind == RowRequest::Kind::Read || kind == RowRequest::Kind::Scan ||
         kind == RowRequest::Kind::Aggregate;
}

struct RowPlan {
  std::vector<RowRequest> requests;
  bool abort = false;  // Roll back instead of committing.
  double overlap = 0;  // Number of concurrent transactions; 0: one per session.

  bool only_reads() const {
    return std::ranges::all_of(requests,
                               [](const auto& request) { return serval::only_reads(request.kind); });
  }
};

}  // namespace serval
