#pragma once
// Which version of a key an operation looked at, by the version set that the certificate gives it: a position
// in the key's order of versions.
//
//   VersionVisibility visibility(history, versions);
//   if (const VersionSet* set = certificate.version_set(op)) visibility.position(*set, t, x)
//
// Of a timestamp or a snapshot it is the last version whose installer they show. Versions normally become
// visible in their order, and ops come with later and later snapshots; both are used (a lookup starts at the
// place of the one before), neither is relied on. O(1) then, O(log versions) otherwise.

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "serval/check/certificate/certified_versions.h"

namespace serval {

class VersionVisibility {
 public:
  VersionVisibility(const History& history, const CertifiedVersions& versions);

  // What stands in the way of using the version sets, in words; empty: nothing does.
  const std::string& problem() const noexcept { return problem_; }

  // What `t` saw of the key before it wrote the key itself: its own version is passed over.
  std::uint32_t position(const VersionSet& set, TransactionId t, KeyId key) const {
    if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen)) {
      const std::uint32_t at = versions_.first(key) + cursor_[key.index];
      const bool is_seen = timestamps_.smallest_after[at] <= *timestamp;
      if (is_seen && (at + 1 == versions_.end(key) || timestamps_.smallest_after[at + 1] > *timestamp) &&
          versions_.all()[at].installer != t)
        return cursor_[key.index];  // As for the last one who asked.
    }
    return find_position(set, t, key);
  }
  // Whether the set shows what `installer` wrote; always so of the initial version.
  bool shows(const VersionSet& set, TransactionId installer) const;

  // The writers in the order in which version sets of a kind come to show them. Sets of the other kinds, and
  // lists, say nothing of a line.
  enum class Line : std::uint8_t { Timestamps, Numbers };
  static Line line_of(const VersionSet& set) {
    return std::holds_alternative<std::int64_t>(set.seen) ? Line::Timestamps : Line::Numbers;
  }
  std::span<const TransactionId> writers(Line line) const { return stamps(line).writers; }
  // How many of its line a set that is no list shows: the first so many, but for those of for_each_running.
  std::size_t shown_writers(const VersionSet& set) const;
  template <class Visit>
  void for_each_running(const VersionSet& set, Visit&& visit) const {
    const auto* snapshot = std::get_if<TransactionSnapshot>(&set.seen);
    if (snapshot == nullptr) return;
    for (const std::uint64_t number : snapshot->running)
      for (const TransactionId writer : numbered(number)) visit(writer);
  }

 private:
  // The number by which a kind of version set tells transactions apart, and of every version the smallest
  // one at or after it in its key's order.
  struct Stamps {
    std::vector<std::int64_t> of_transaction;
    std::vector<std::int64_t> smallest_after;  // By version of CertifiedVersions::all().
    std::vector<TransactionId> writers;        // By their stamps.
  };
  const Stamps& stamps(Line line) const { return line == Line::Timestamps ? timestamps_ : numbers_; }

  void check_lists();
  void collect_timestamps();
  void collect_numbers();
  void add_smallest(Stamps& stamps) const;
  void line_up(Stamps& stamps) const;
  std::span<const TransactionId> numbered(std::uint64_t number) const;
  std::uint32_t find_position(const VersionSet& set, TransactionId t, KeyId key) const;
  std::uint32_t position_of(TransactionId installer, KeyId key) const;
  // The last version of the key whose stamp is below `end`.
  std::uint32_t last_below(const Stamps& stamps, KeyId key, std::int64_t end) const;

  const History& history_;
  const CertifiedVersions& versions_;
  std::string problem_;
  Stamps timestamps_, numbers_;
  mutable std::vector<std::uint32_t> cursor_;  // By key: where the last lookup ended.
  // The list that was asked for last, by key; entries of other lists have another number.
  struct Listed {
    std::uint32_t list = 0, position = 0;
  };
  void spread(const std::vector<SeenVersion>& list) const;
  mutable std::vector<Listed> listed_;
  mutable const std::vector<SeenVersion>* spread_ = nullptr;
  mutable std::uint32_t lists_ = 0;
};

}  // namespace serval
