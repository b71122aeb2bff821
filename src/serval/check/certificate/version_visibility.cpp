#include "serval/check/certificate/version_visibility.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace serval {
namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

VersionVisibility::VersionVisibility(const History& history, const CertifiedVersions& versions)
    : history_(history), versions_(versions), cursor_(history.key_count(), 0) {
  bool by_timestamp = false, by_number = false, by_list = false;
  for (const auto& [op, set] : history.certificate().version_sets) {
    by_list = by_list || std::holds_alternative<std::vector<SeenVersion>>(set.seen);
    by_timestamp = by_timestamp || std::holds_alternative<std::int64_t>(set.seen);
    by_number = by_number || std::holds_alternative<TransactionSnapshot>(set.seen);
  }
  if (by_list) check_lists();
  if (by_timestamp && problem_.empty()) collect_timestamps();
  if (by_number && problem_.empty()) collect_numbers();
}

void VersionVisibility::check_lists() {
  listed_.resize(history_.key_count());
  for (const auto& [op, set] : history_.certificate().version_sets) {
    const auto* list = std::get_if<std::vector<SeenVersion>>(&set.seen);
    if (list == nullptr) continue;
    for (const SeenVersion& seen : *list) {
      if (seen.installer.is_none() || position_of(seen.installer, seen.key) > 0) continue;
      problem_ = fmt::format(
          "according to the certificate, transaction {} saw a version of {} by transaction {}, "
          "which did not leave one behind",
          history_.format(history_.label(history_.transaction_of(op))), history_.format_key(seen.key),
          history_.format(history_.label(seen.installer)));
      return;
    }
  }
}

// Lists are queried one after another, and each contains mostly the same versions as the previous one.
std::uint32_t VersionVisibility::position_of(TransactionId installer, KeyId key) const {
  const auto versions = versions_.of(key);
  std::uint32_t& cursor = cursor_[key.index];
  for (std::uint32_t near = cursor; near < versions.size() && near < cursor + 3; ++near)
    if (versions[near].installer == installer) return cursor = near;
  for (const CertifiedVersions::Installed& own : versions_.installed_by(installer))
    if (own.key == key) return cursor = own.position;
  return 0;
}

void VersionVisibility::spread(const std::vector<SeenVersion>& list) const {
  if (spread_ == &list) return;
  spread_ = &list;
  ++lists_;
  for (const SeenVersion& seen : list)
    listed_[seen.key.index] = {lists_, seen.installer.is_none() ? 0 : position_of(seen.installer, seen.key)};
}

void VersionVisibility::collect_timestamps() {
  timestamps_.of_transaction.assign(history_.transaction_count(), 0);
  for (const TransactionId t : history_.transactions()) {
    if (!versions_.takes_part(t) || versions_.installed_by(t).empty()) continue;
    const TransactionHints* hints = history_.hints(t);
    if (hints == nullptr || !hints->commit_timestamp) {
      problem_ =
          fmt::format("transaction {} wrote but has no commit timestamp", history_.format(history_.label(t)));
      return;
    }
    timestamps_.of_transaction[t.index] = *hints->commit_timestamp;
  }
  add_smallest(timestamps_);
  line_up(timestamps_);
}

void VersionVisibility::collect_numbers() {
  numbers_.of_transaction.assign(history_.transaction_count(), 0);
  for (const TransactionId t : history_.transactions()) {
    if (!versions_.takes_part(t) || versions_.installed_by(t).empty()) continue;
    const TransactionHints* hints = history_.hints(t);
    const std::optional<std::int64_t> number =
        hints == nullptr ? std::nullopt : number_of(hints->server_transaction);
    if (!number) {
      problem_ = fmt::format("transaction {} wrote but has no transaction id from the server",
                             history_.format(history_.label(t)));
      return;
    }
    numbers_.of_transaction[t.index] = *number;
  }
  add_smallest(numbers_);
  line_up(numbers_);
}

void VersionVisibility::add_smallest(Stamps& stamps) const {
  stamps.smallest_after.resize(versions_.all().size());
  for (const KeyId key : history_.key_ids()) {
    const std::uint32_t first = versions_.first(key);
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    const auto versions = versions_.of(key);
    for (std::size_t i = versions.size(); i-- > 1;) {
      smallest = std::min(smallest, stamps.of_transaction[versions[i].installer.index]);
      stamps.smallest_after[first + i] = smallest;
    }
    stamps.smallest_after[first] = kFirst;
  }
}

void VersionVisibility::line_up(Stamps& stamps) const {
  for (const TransactionId t : history_.transactions())
    if (versions_.takes_part(t) && !versions_.installed_by(t).empty()) stamps.writers.push_back(t);
  const auto stamp = [&](TransactionId t) { return stamps.of_transaction[t.index]; };
  if (!std::ranges::is_sorted(stamps.writers, {}, stamp)) std::ranges::sort(stamps.writers, {}, stamp);
}

std::size_t VersionVisibility::shown_writers(const VersionSet& set) const {
  const Stamps& sequence = stamps(sequence_of(set));
  const auto* timestamp = std::get_if<std::int64_t>(&set.seen);
  const auto is_shown = [&](TransactionId t) {
    const std::int64_t stamp = sequence.of_transaction[t.index];
    if (timestamp != nullptr) return stamp <= *timestamp;
    return static_cast<std::uint64_t>(stamp) < std::get<TransactionSnapshot>(set.seen).first_future;
  };
  return static_cast<std::size_t>(std::ranges::partition_point(sequence.writers, is_shown) -
                                  sequence.writers.begin());
}

std::span<const TransactionId> VersionVisibility::numbered(std::uint64_t number) const {
  const auto number_of_writer = [&](TransactionId t) {
    return static_cast<std::uint64_t>(numbers_.of_transaction[t.index]);
  };
  return {std::ranges::lower_bound(numbers_.writers, number, {}, number_of_writer),
          std::ranges::upper_bound(numbers_.writers, number, {}, number_of_writer)};
}

std::uint32_t VersionVisibility::last_below(const Stamps& stamps, KeyId key, std::int64_t end) const {
  const auto size = static_cast<std::uint32_t>(versions_.of(key).size());
  const std::int64_t* smallest = stamps.smallest_after.data() + versions_.first(key);
  std::uint32_t& cursor = cursor_[key.index];
  constexpr int kSteps = 8;
  std::uint32_t at = cursor;
  for (int step = 0; step < kSteps; ++step) {
    if (smallest[at] >= end) {
      --at;  // Never below the initial version, which precedes every end.
    } else if (at + 1 < size && smallest[at + 1] < end) {
      ++at;
    } else {
      return cursor = at;
    }
  }
  const std::int64_t* found = std::lower_bound(smallest, smallest + size, end);
  return cursor = static_cast<std::uint32_t>(found - smallest) - 1;
}

bool VersionVisibility::shows(const VersionSet& set, TransactionId installer) const {
  if (installer.is_none()) return true;
  if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen))
    return timestamps_.of_transaction[installer.index] <= *timestamp;
  if (const auto* snapshot = std::get_if<TransactionSnapshot>(&set.seen))
    return snapshot->shows(static_cast<std::uint64_t>(numbers_.of_transaction[installer.index]));
  return false;
}

std::uint32_t VersionVisibility::find_position(const VersionSet& set, TransactionId t, KeyId key) const {
  const auto versions = versions_.of(key);
  if (const auto* listed = std::get_if<std::vector<SeenVersion>>(&set.seen)) {
    spread(*listed);
    return listed_[key.index].list == lists_ ? listed_[key.index].position : 0;
  }
  std::uint32_t at = 0;
  if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen)) {
    const bool last = *timestamp == std::numeric_limits<std::int64_t>::max();
    at =
        last ? static_cast<std::uint32_t>(versions.size()) - 1 : last_below(timestamps_, key, *timestamp + 1);
  } else {
    const auto end = std::get<TransactionSnapshot>(set.seen).first_future;
    at = last_below(numbers_, key, static_cast<std::int64_t>(end));
  }
  // Ends at the initial version, which everybody sees.
  while (versions[at].installer == t || !shows(set, versions[at].installer)) --at;
  return at;
}

}  // namespace serval
