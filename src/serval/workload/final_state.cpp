#include "serval/workload/final_state.h"

#include <algorithm>
#include <limits>

namespace serval {

std::optional<Answer::Row> FinalState::row(std::uint32_t table, std::uint64_t key) {
  Answer answer = perform_({.table = table, .key = key});
  if (answer.rows.empty()) return std::nullopt;
  return std::move(answer.rows.front());
}

std::vector<Answer::Row> FinalState::first_rows(std::uint32_t table, std::uint64_t count) {
  std::vector<Answer::Row> rows;
  for (std::uint64_t key = 0; key < count; ++key)
    if (std::optional<Answer::Row> found = row(table, key)) rows.push_back(std::move(*found));
  return rows;
}

std::vector<Answer::Row> FinalState::all_rows(std::uint32_t table) {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  std::vector<Answer::Row> rows = perform_({.kind = Request::Kind::Scan, .table = table, .high = kEnd}).rows;
  std::ranges::sort(rows, {}, &Answer::Row::key);
  return rows;
}

}  // namespace serval
