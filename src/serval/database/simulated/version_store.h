#pragma once
// The committed versions of every key, newest first, the elements of lists, and the session with the
// last uncommitted write of each key. Versions that no view can see any more are forgotten when the key
// is next written.
//
//   VersionStore store(Value::integer(0));
//   store.install(key, {.position = 5, .value = v});
//   store[store.visible(key, {.snapshot = 4})].position < 5
//
// Finding a version costs O(versions newer than it); usually two or three. Ids of forgotten versions are used
// again. Not shared between threads.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "serval/history/value.h"

namespace serval::simulated {

using Key = std::uint64_t;  // Dense: the store keeps an entry for every key up to the greatest.
// The number of an update commit; 0 is the state before the first.
using Position = std::uint64_t;
inline constexpr Position kNoPosition = std::numeric_limits<Position>::max();
inline constexpr std::uint32_t kNoSession = std::numeric_limits<std::uint32_t>::max();

// What is visible to a transaction: the commits up to `snapshot`; after `fork`, only those of its own
// replica.
struct View {
  Position snapshot = kNoPosition;
  Position fork = kNoPosition;
  std::uint8_t replica = 0;

  bool sees(Position position, std::uint8_t from) const noexcept {
    return position <= snapshot && (position <= fork || from == replica);
  }
};

using VersionId = std::uint32_t;
inline constexpr VersionId kInitialVersion = 0;  // Of every key.

struct Version {
  Position position = 0;
  Value value;  // For a list, its length. Lists only grow.
  VersionId older = kInitialVersion;
  std::uint8_t replica = 0;
};

class VersionStore {
 public:
  explicit VersionStore(Value initial) : versions_{{.value = initial}} {}

  const Version& operator[](VersionId version) const { return versions_[version]; }
  VersionId newest(Key key) const noexcept {
    return key < keys_.size() ? keys_[key].newest : kInitialVersion;
  }
  VersionId visible(Key key, const View& view) const;
  VersionId install(Key key, Version version);
  Key key_count() const noexcept { return keys_.size(); }

  // Lists: a version is a length.
  std::span<const Value> elements(Key key, VersionId version) const;
  VersionId append(Key key, Value element, Version version);
  // As if the newest version had been appended after this element. Requires a version.
  void append_below_newest(Key key, Value element);

  // No later query has a view older than `horizon`.
  void forget_before(Position horizon) noexcept { horizon_ = horizon; }
  Position horizon() const noexcept { return horizon_; }

  // The session with the latest uncommitted write of the key, or kNoSession.
  std::uint32_t writer(Key key) const noexcept { return key < keys_.size() ? keys_[key].writer : kNoSession; }
  void set_writer(Key key, std::uint32_t session) { at(key).writer = session; }
  void clear_writer(Key key, std::uint32_t session);

 private:
  struct KeyState {
    VersionId newest = kInitialVersion;
    std::uint32_t writer = kNoSession;
  };

  KeyState& at(Key key);
  VersionId add(const Version& version);
  void forget_old(VersionId newest);

  Position horizon_ = 0;
  std::vector<KeyState> keys_;
  std::vector<Version> versions_;  // By id.
  std::vector<VersionId> free_;
  std::vector<std::vector<Value>> lists_;  // By key.
};

}  // namespace serval::simulated
