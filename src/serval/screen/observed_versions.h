#pragma once
// Versions of keys with the transactions that wrote, overwrote and read them, as far as a screen knows.
// A read adds the edge from the writer at once, and the edge to the overwriter as soon as there is one.
//
//   ObservedVersions versions(order);
//   const VersionId v = versions.add(writer);
//   versions.read(v, reader);                      // writer -> reader
//   versions.overwrite(v, overwriter);             // reader -> overwriter
//
// O(1) amortized per call: a reader waits for one overwriter. Not thread-safe.

#include <cstdint>
#include <utility>
#include <vector>

#include "serval/inference/read_write_sets.h"
#include "serval/screen/screen_order.h"

namespace serval {

struct ObservedVersion {
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;

  TransactionId writer = TransactionId::none();      // none(): the initial version.
  TransactionId overwriter = TransactionId::none();  // Of the next version.
  TransactionId updater = TransactionId::none();     // Read this version and wrote the key.
  std::uint32_t readers = kNobody;                   // The list of readers that wait for the overwriter.
};

class ObservedVersions {
 public:
  explicit ObservedVersions(ScreenOrder& order) : order_(order) {}

  VersionId add(TransactionId writer) {
    versions_.push_back({.writer = writer});
    return VersionId{static_cast<std::uint32_t>(versions_.size() - 1)};
  }
  ObservedVersion& operator[](VersionId version) { return versions_[version.index]; }

  void read(VersionId version, TransactionId reader) {
    depend_on_writer(version, reader);
    if (order_.shape().data != GraphShape::Data::All) return;
    if (versions_[version.index].overwriter.is_none()) return keep_reader(version, reader);
    order_.miss(reader, versions_[version.index].overwriter);
  }

  void overwrite(VersionId version, TransactionId overwriter) {
    versions_[version.index].overwriter = overwriter;
    take_readers(version, [&](TransactionId reader) { order_.miss(reader, overwriter); });
  }

  void depend_on_writer(VersionId version, TransactionId reader) {
    const TransactionId writer = versions_[version.index].writer;
    if (!writer.is_none()) order_.depend(writer, reader);
  }
  void keep_reader(VersionId version, TransactionId reader);

  template <class Visit>
  void take_readers(VersionId version, Visit&& visit) {
    std::uint32_t at = std::exchange(versions_[version.index].readers, ObservedVersion::kNobody);
    while (at != ObservedVersion::kNobody) {
      visit(waiting_[at].reader);
      free_.push_back(at);
      at = waiting_[at].next;
    }
  }

  std::size_t bytes() const noexcept {
    return versions_.capacity() * sizeof(ObservedVersion) + waiting_.capacity() * sizeof(Waiting);
  }

 private:
  struct Waiting {
    TransactionId reader;
    std::uint32_t next;
  };

  ScreenOrder& order_;
  std::vector<ObservedVersion> versions_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_;  // Unused indexes into it.
};

inline void ObservedVersions::keep_reader(VersionId version, TransactionId reader) {
  std::uint32_t at = static_cast<std::uint32_t>(waiting_.size());
  if (free_.empty()) {
    waiting_.emplace_back();
  } else {
    at = free_.back();
    free_.pop_back();
  }
  waiting_[at] = {reader, std::exchange(versions_[version.index].readers, at)};
}

}  // namespace serval
