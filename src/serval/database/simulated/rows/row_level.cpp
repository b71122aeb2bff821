#include "serval/database/simulated/rows/row_level.h"

#include <array>
#include <vector>

#include "serval/workload/parameters.h"

namespace serval {

std::span<const RowLevelInfo> all_row_levels() {
  using Reads = RowLevelInfo::Reads;
  using Snapshots = RowLevelInfo::Snapshots;
  using Checks = RowLevelInfo::Checks;
  static constexpr std::array<RowLevelInfo, 8> table = {{
      {"read-committed", Reads::NewestCommit, Snapshots::Newest, Checks::Nothing},
      {"repeatable-read", Reads::NewestCommit, Snapshots::Newest, Checks::Reads},
      {"snapshot-isolation", Reads::Snapshot, Snapshots::Any, Checks::Writes},
      {"strong-session-snapshot-isolation", Reads::Snapshot, Snapshots::Session, Checks::Writes},
      {"strong-snapshot-isolation", Reads::Snapshot, Snapshots::Newest, Checks::Writes},
      {"serializable", Reads::Snapshot, Snapshots::Any, Checks::All},
      {"strong-session-serializable", Reads::Snapshot, Snapshots::Session, Checks::All},
      {"strict-serializable", Reads::Snapshot, Snapshots::Newest, Checks::All},
  }};
  return table;
}

const RowLevelInfo& parse_row_level(std::string_view name) {
  std::vector<ChoiceInfo> rows;
  for (const RowLevelInfo& row : all_row_levels()) rows.push_back({row.name, {}});
  return all_row_levels()[parse_choice("level of simulated rows", name, rows).row];
}

}  // namespace serval
