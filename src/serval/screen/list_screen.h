#pragma once
// Lists in a history that grows (inference/list_versions.h, online). The longest read of a list so far is the
// order of the versions that were seen; an append that nobody has seen yet comes after all of them:
//
//   s1: [a(x,1)]  s2: [a(x,2)]  s3: [l(x,[2])]     2 is a version, and 1 comes later
//
// So whoever read the last version seen misses every append that was not seen, whichever comes next. Where
// snapshots count, the order of these matters, too: they are assumed to come in the order in which they were
// added, until a read shows their order.
//
// A read costs O(elements shown); one that shows more than all before it, also O(appends not yet seen).
// One thread.

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

  // The number of the append; kNone when the element was appended before. `previous` is the append of the
  // same transaction to the same key before this one.
  std::uint32_t add(KeyId key, Value element, TransactionId writer, std::uint32_t previous, bool is_last);
  bool has(KeyId key, Value element) const { return index_.contains(std::pair(key, element)); }
  // Its transaction takes part from now on. `initial` is the version of the key before any append.
  void count(std::uint32_t append, VersionId initial);

  struct Answer {
    enum class Kind : std::uint8_t {
      Read,           // Done.
      Contradiction,  // No order explains the read.
      Missing,        // An element that nobody has appended yet. Nothing was done.
      Idle,           // The append of a transaction that does not take part yet. Nothing was done.
    } kind = Kind::Read;
    Value element = {};                            // Missing.
    TransactionId writer = TransactionId::none();  // Idle.
  };
  // A read that shows elements.
  Answer read(TransactionId reader, const TransactionDigest::Read& read, VersionId initial);
  // A read of a list that shows none. False: contradicts others.
  bool read_nothing(TransactionId reader, bool updates, KeyId key, VersionId initial);

  // Most of the work went into appends that nobody sees, so it may grow faster than the history.
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
    std::vector<std::uint32_t> appends;  // and who appended them.
    std::vector<std::uint32_t> unseen;   // Appends that count and were not shown, as they were added.
    // Helper vertices that lead the readers of `last` to these: the first, and the newest.
    Vertex first_helper = kNone, newest_helper = kNone;
    TransactionId updater = TransactionId::none();  // Read `last` and appended: not led by helpers.
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
