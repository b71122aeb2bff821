#pragma once
// Why one version of a key is known to come before another, and which of these reasons a check may use.
//
// Reads needs no trust: a transaction that read a version and wrote the key made a later one, and the initial
// version precedes all. The others are assumptions about the database, and a verdict that uses one is a
// verdict about a database that keeps it (docs/assumptions.md):
//
//   Versions          the version numbers that the database told, operation by operation, ascend
//   CommitOrder       versions were installed in the order of the writers' commit timestamps
//   SequentialKeys    every key by itself is sequentially consistent: a session never sees it go back
//   LinearizableKeys  every key by itself is linearizable: what ended before something began, happened before
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
  Case,         // Only within a proof by cases: as the case has it.
  Certificate,  // As the history's version certificate has it (history/certificate.h).
};

// Those that can be assumed, in the order in which they are used: what contradicts an earlier one gives way.
inline constexpr std::array kAssumableBases{OrderBasis::Versions, OrderBasis::CommitOrder,
                                            OrderBasis::SequentialKeys, OrderBasis::LinearizableKeys};

// "reads", "versions", "commit-order", "sequential-keys", "linearizable-keys", "case", "certificate".
std::string_view name_of(OrderBasis basis);
// Of one that can be assumed, also by Elle's names; wfr-keys is not among them, since it is always used.
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
