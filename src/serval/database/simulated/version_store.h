#pragma once
// The committed versions of every key, newest first, and the newest uncommitted write. Versions that no
// snapshot can see any more are forgotten when the key is next written.
//
//   store.install(key, {.position = 5, .value = v});
//   store.visible(key, {.snapshot = 4}).position < 5
//
// Finding a version costs O(versions newer than it); two or three, usually.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "serval/history/value.h"

namespace serval::simulated {

using Key = std::uint64_t;
// The number of an update commit; 0 is the state before the first.
using Position = std::uint64_t;
inline constexpr Position kNoPosition = std::numeric_limits<Position>::max();

// What a transaction may see: commits up to `snapshot`; of those after `fork` only the ones of its own
// replica.
struct View {
  Position snapshot = kNoPosition;
  Position fork = kNoPosition;
  std::uint8_t replica = 0;
};

struct Version {
  Position position = 0;
  Value value;  // Of a list: its length. The elements only ever grow.
  std::uint8_t replica = 0;
};

struct DirtyWrite {
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  std::uint32_t session = kNobody;
  Value value;
};

class VersionStore {
 public:
  explicit VersionStore(Value initial) : initial_{0, initial, 0} {}

  Version newest(Key key) const;
  Version visible(Key key, const View& view) const;
  void install(Key key, const Version& version);
  // As if it had been overwritten by the newest version at once; requires one.
  void install_below_newest(Key key, Value value);

  std::span<const Value> elements(Key key, std::size_t length) const;
  void append(Key key, Value element, const Version& version);
  void append_below_newest(Key key, Value element);

  // No view asked for from now on is older than `horizon`.
  void forget_before(Position horizon) noexcept { horizon_ = horizon; }

  DirtyWrite dirty(Key key) const { return key < keys_.size() ? keys_[key].dirty : DirtyWrite{}; }
  void set_dirty(Key key, DirtyWrite write) { at(key).dirty = write; }
  void clear_dirty(Key key, std::uint32_t session);

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Node {
    Version version;
    std::uint32_t older;
  };
  struct KeyState {
    std::uint32_t newest = kNone;
    DirtyWrite dirty;
  };

  KeyState& at(Key key);
  std::uint32_t add_node(const Version& version, std::uint32_t older);
  void forget_old(std::uint32_t newest);

  Version initial_;
  Position horizon_ = 0;
  std::vector<KeyState> keys_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_nodes_;
  std::vector<std::vector<Value>> lists_;  // By key; only lists have any.
};

}  // namespace serval::simulated
