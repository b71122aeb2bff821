#pragma once
// Lists in a growing history (the online counterpart of inference/list_versions.h). The longest read of
// a list so far gives the order of the versions seen; an append that no read has shown yet comes after
// all of them:
//
//   s1: [a(x,1)]  s2: [a(x,2)]  s3: [l(x,[2])]     2 is a version, and 1 comes later
//
// So a transaction that read the last version seen misses every unseen append, whichever comes next. If
// snapshots count, the order of the unseen appends also matters: they are assumed to be in the order in
// which they were added, until a read shows their order.
//
// A read costs O(elements shown), plus O(appends not yet seen) if it is the longest so far. Not
// thread-safe.

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/screen/observed_versions.h"
#include "serval/screen/transaction_digest.h"

namespace serval {

class ListScreen {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  ListScreen(ScreenOrder& order, ObservedVersions& versions) : order_(order), versions_(versions) {}

  // The number of the append; kNone if the element was appended before. `previous` is the preceding
  // append of the same transaction to the same key.
  std::uint32_t add(KeyId key, Value element, TransactionId writer, std::uint32_t previous, bool is_last);
  bool has(KeyId key, Value element) const { return index_.contains(std::pair(key, element)); }
  // Its transaction participates from now on. `initial` is the version of the key before any append.
  void count(std::uint32_t append, VersionId initial);

  struct Answer {
    enum class Kind : std::uint8_t {
      Read,           // Done.
      Contradiction,  // No order explains the read.
      Missing,        // No transaction has appended `element` yet. Nothing was done.
      Idle,           // It shows an append of `writer`, which does not participate yet. Nothing was done.
    } kind = Kind::Read;
    Value element = {};                            // For Missing.
    TransactionId writer = TransactionId::none();  // For Idle.
  };
  // A read that shows elements.
  Answer read(TransactionId reader, const TransactionDigest::Read& read, VersionId initial);
  // A read of an empty list. False: contradicts others.
  bool read_nothing(TransactionId reader, bool updates, KeyId key, VersionId initial);

  // Most of the work goes into appends that no read shows, so it may grow faster than the history.
  bool is_wasteful() const noexcept { return placed_again_ > 4096 + 64 * appends_.size(); }
  std::uint64_t effort() const noexcept { return placed_again_ + compared_; }
  std::size_t bytes() const noexcept;

 private:
  struct Append {
    TransactionId writer;
    std::uint32_t previous;
    KeyId key;
    bool is_last;
    bool counts = false;
    bool shown = false;
    VersionId version = VersionId::none();  // Once it is shown.
  };
  struct List {
    VersionId last = VersionId::none();  // The last version seen.
    std::vector<Value> elements;         // Of the longest read,
    std::vector<std::uint32_t> appends;  // and their appends.
    std::vector<std::uint32_t> unseen;   // Appends that count and were not shown, in order of addition.
    // Helper vertices that lead from the readers of `last` to the unseen appends: the first and the
    // newest.
    Vertex first_helper = kNone, newest_helper = kNone;
    TransactionId updater = TransactionId::none();  // Read `last` and appended. Does not use the helpers.
  };

  List& list_of(KeyId key, VersionId initial);
  std::uint32_t find(KeyId key, Value element) const;
  Answer look_at_new(const List& list, const TransactionDigest::Read& read) const;
  static bool shows_own(const List& list, std::size_t length, TransactionId reader,
                        const std::vector<Append>& appends);
  bool extend(List& list, const TransactionDigest::Read& read);
  void place_unseen(List& list, std::size_t position);
  void lead_readers(List& list, TransactionId writer);
  void retract_order_of_unseen(const List& list);
  bool observe(List& list, VersionId version, TransactionId reader, bool updates);
  bool needs_misses() const { return order_.shape().data == GraphShape::Data::All; }

  ScreenOrder& order_;
  ObservedVersions& versions_;
  absl::flat_hash_map<KeyId, List> lists_;
  absl::flat_hash_map<std::pair<KeyId, Value>, std::uint32_t> index_;
  std::vector<Append> appends_;
  std::uint64_t placed_again_ = 0, compared_ = 0;
};

}  // namespace serval
