#include "serval/database/simulated/row_store.h"

#include <algorithm>
#include <utility>

#include "serval/base/contract.h"
#include "serval/database/key_value/stored_value.h"

namespace serval::simulated {

RowStore::RowStore(const Schema& schema) {
  for (const TableInfo& info : schema) {
    Table& table = tables_.emplace_back(Table{serval::initial_columns(info), {}});
    if (info.holds == TableInfo::Holds::Lists || info.initial == TableInfo::Initial::Absent) continue;
    const RowVersion initial{.content = {.present = true, .columns = table.initial_columns}};
    for (std::uint64_t key = 0; key < info.rows; ++key)
      table.rows.emplace_hint(table.rows.end(), key, Versions{initial});
  }
}

const RowStore::Versions* RowStore::find(const RowKey& row) const {
  const Table& table = tables_[row.table];
  const auto found = table.rows.find(row.key);
  return found == table.rows.end() ? nullptr : &found->second;
}

const RowVersion& RowStore::newest(const RowKey& row) const {
  const Versions* versions = find(row);
  return versions == nullptr ? absent_ : versions->back();
}

const RowVersion& RowStore::visible(const RowKey& row, const View& view) const {
  const Versions* versions = find(row);
  if (versions == nullptr) return absent_;
  for (auto version = versions->rbegin(); version != versions->rend(); ++version) {
    const bool forked_away = version->position > view.fork && version->replica != view.replica;
    if (version->position <= view.snapshot && !forked_away) return *version;
  }
  return absent_;
}

// Keeps the newest version at or before the horizon: the oldest view still sees it.
void RowStore::forget_old(Versions& versions) const {
  const auto seen = [&](const RowVersion& version) { return version.position <= horizon_; };
  const auto kept = std::find_if(versions.rbegin(), versions.rend(), seen);
  if (kept != versions.rend()) versions.erase(versions.begin(), kept.base() - 1);
}

std::span<const RowVersion> RowStore::installed_after(const RowKey& row, Position position) const {
  const Versions* versions = find(row);
  if (versions == nullptr) return {};
  const auto first = std::ranges::upper_bound(*versions, position, {}, &RowVersion::position);
  return {first, versions->end()};
}

void RowStore::install(const RowKey& row, RowVersion version) {
  Versions& versions = tables_[row.table].rows[row.key];
  versions.push_back(std::move(version));
  forget_old(versions);
}

void RowStore::replace_newest(const RowKey& row, RowVersion version) {
  Versions& versions = tables_[row.table].rows[row.key];
  expects(!versions.empty(), "a version to replace");
  versions.back() = std::move(version);
}

bool RowStore::append_below_newest(const RowKey& row, const std::vector<std::int64_t>& tags) {
  Versions& versions = tables_[row.table].rows[row.key];
  if (versions.size() < 2) return false;
  std::vector<std::int64_t>& list = versions.back().content.list;
  const auto before = static_cast<std::ptrdiff_t>(versions[versions.size() - 2].content.list.size());
  list.insert(list.begin() + before, tags.begin(), tags.end());
  return true;
}

std::vector<std::uint64_t> RowStore::keys(std::uint32_t table, std::uint64_t low, std::uint64_t high) const {
  std::vector<std::uint64_t> out;
  const auto& rows = tables_[table].rows;
  for (auto row = rows.lower_bound(low); row != rows.end() && row->first <= high; ++row)
    out.push_back(row->first);
  return out;
}

const std::vector<std::int64_t>& RowStore::initial_columns(std::uint32_t table) const {
  return tables_[table].initial_columns;
}

}  // namespace serval::simulated
