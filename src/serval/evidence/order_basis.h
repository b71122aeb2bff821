#pragma once
// Why one version of a key is known to precede another, and which of these reasons a check may use.
//
// Reads needs no trust: a transaction that read a version and wrote the key installed a later one, and
// the initial version precedes all others. The other bases are assumptions about the database. A verdict
// that uses one holds only if the database satisfies it (docs/assumptions.md):
//
//   Versions          the version numbers that the database reported per operation increase
//   CommitOrder       versions were installed in the order of the writers' commit timestamps
//   SequentialKeys    every key is sequentially consistent: a session never goes back to an older version
//   LinearizableKeys  every key is linearizable: an operation that ended before another began precedes it
//
//   Assumptions given{OrderBasis::Versions};  given.has(OrderBasis::Versions)

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace serval {

enum class OrderBasis : std::uint8_t {
  Reads,
  Versions,
  CommitOrder,
  SequentialKeys,
  LinearizableKeys,
  Case,         // Within a proof by cases only: assumed by the case.
  Certificate,  // Given by the history's version certificate (history/certificate.h).
};

// The bases that can be assumed, in the order in which they are used: facts that contradict an earlier
// basis are dropped.
inline constexpr std::array kAssumableBases{OrderBasis::Versions, OrderBasis::CommitOrder,
                                            OrderBasis::SequentialKeys, OrderBasis::LinearizableKeys};

// "reads", "versions", "commit-order", "sequential-keys", "linearizable-keys", "case", "certificate".
std::string_view name_of(OrderBasis basis);
// Finds an assumable basis; accepts Elle's names too. wfr-keys is not one of them, because it is always
// used.
std::optional<OrderBasis> find_assumption(std::string_view name);

class Assumptions {
 public:
  constexpr Assumptions() = default;
  constexpr Assumptions(std::initializer_list<OrderBasis> bases) {
    for (const OrderBasis basis : bases) add(basis);
  }
  constexpr void add(OrderBasis basis) { bits_ = static_cast<std::uint8_t>(bits_ | bit(basis)); }
  constexpr bool has(OrderBasis basis) const { return (bits_ & bit(basis)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr std::uint8_t bit(OrderBasis basis) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(basis));
  }
  std::uint8_t bits_ = 0;
};

}  // namespace serval
