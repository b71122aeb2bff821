#pragma once
// The version of a key that an operation saw, according to its version set in the certificate: a
// position in the key's version order.
//
//   VersionVisibility visibility(history, versions);
//   if (const VersionSet* set = certificate.version_set(op)) visibility.position(*set, t, x)
//
// For a timestamp or a snapshot, it is the last version whose installer is visible. Versions normally
// become visible in version order, and operations come with increasing snapshots. Lookups exploit both
// by starting at the previous result, but depend on neither. O(1) in this case, otherwise O(log
// versions).

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

  // Why the version sets cannot be used; empty if they can.
  const std::string& problem() const noexcept { return problem_; }

  // The version that `t` saw before it wrote the key itself: its own version is skipped.
  std::uint32_t position(const VersionSet& set, TransactionId t, KeyId key) const {
    if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen)) {
      const std::uint32_t at = versions_.first(key) + cursor_[key.index];
      const bool is_seen = timestamps_.smallest_after[at] <= *timestamp;
      if (is_seen && (at + 1 == versions_.end(key) || timestamps_.smallest_after[at + 1] > *timestamp) &&
          versions_.all()[at].installer != t)
        return cursor_[key.index];  // The same as for the previous lookup.
    }
    return find_position(set, t, key);
  }
  // Whether the writes of `installer` are visible to the set; always true for the initial version.
  bool shows(const VersionSet& set, TransactionId installer) const;

  // The writers in the order in which they become visible to version sets of one kind. Lists, and sets
  // of the other kind, are unrelated to a sequence.
  enum class WriterSequence : std::uint8_t { Timestamps, Numbers };
  static WriterSequence sequence_of(const VersionSet& set) {
    return std::holds_alternative<std::int64_t>(set.seen) ? WriterSequence::Timestamps
                                                          : WriterSequence::Numbers;
  }
  std::span<const TransactionId> writers(WriterSequence sequence) const { return stamps(sequence).writers; }
  // The number of writers of its sequence that are visible to a set that is not a list: a prefix, except
  // those of for_each_running.
  std::size_t shown_writers(const VersionSet& set) const;
  template <class Visit>
  void for_each_running(const VersionSet& set, Visit&& visit) const {
    const auto* snapshot = std::get_if<TransactionSnapshot>(&set.seen);
    if (snapshot == nullptr) return;
    for (const std::uint64_t number : snapshot->running)
      for (const TransactionId writer : numbered(number)) visit(writer);
  }

 private:
  // The number by which a kind of version set identifies transactions, and for every version the
  // smallest one at or after it in its key's order.
  struct Stamps {
    std::vector<std::int64_t> of_transaction;
    std::vector<std::int64_t> smallest_after;  // By version of CertifiedVersions::all().
    std::vector<TransactionId> writers;        // By stamp.
  };
  const Stamps& stamps(WriterSequence sequence) const {
    return sequence == WriterSequence::Timestamps ? timestamps_ : numbers_;
  }

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
  mutable std::vector<std::uint32_t> cursor_;  // By key: the result of the previous lookup.
  // The list used by the previous lookup, by key; entries of other lists have another number.
  struct Listed {
    std::uint32_t list = 0, position = 0;
  };
  void spread(const std::vector<SeenVersion>& list) const;
  mutable std::vector<Listed> listed_;
  mutable const std::vector<SeenVersion>* spread_ = nullptr;
  mutable std::uint32_t lists_ = 0;
};

}  // namespace serval
