#pragma once
// A dense 32-bit index that does not convert to other kinds of index.
//
//   using KeyId = StrongId<struct KeyTag>;
//   KeyId key{7};            // key.index == 7
//   TransactionId t = key;   // does not compile
//
// StrongId::none() marks an absent id; it is never a valid index.

#include <compare>
#include <cstdint>
#include <functional>

namespace serval {

template <class Tag>
struct StrongId {
  std::uint32_t index = 0;

  static constexpr StrongId none() noexcept { return StrongId{0xFFFFFFFFu}; }
  constexpr bool is_none() const noexcept { return index == 0xFFFFFFFFu; }

  friend constexpr auto operator<=>(StrongId, StrongId) = default;

  template <class Hash>
  friend Hash AbslHashValue(Hash state, StrongId id) {
    return Hash::combine(std::move(state), id.index);
  }
};

// A half-open run of consecutive ids, iterable: for (OperationId op : history.operations(t)).
template <class Id>
struct IdRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // One past the end.

  struct Iterator {
    std::uint32_t index;
    constexpr Id operator*() const noexcept { return Id{index}; }
    constexpr Iterator& operator++() noexcept {
      ++index;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;
  };
  constexpr Iterator begin() const noexcept { return {first}; }
  constexpr Iterator end() const noexcept { return {last}; }
  constexpr std::uint32_t size() const noexcept { return last - first; }
  constexpr bool empty() const noexcept { return first == last; }
  constexpr Id operator[](std::uint32_t position) const noexcept { return Id{first + position}; }
};

}  // namespace serval

template <class Tag>
struct std::hash<serval::StrongId<Tag>> {
  std::size_t operator()(serval::StrongId<Tag> id) const noexcept { return id.index; }
};
