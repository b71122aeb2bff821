#pragma once
// What is known of the order of one key's versions, step by step, kept free of cycles. Versions are numbered
// from 0.
//
//   VersionSteps known(3);
//   known.add({{0, 1, OrderBasis::Reads, ...}});        // none: fits
//   known.add({{1, 0, OrderBasis::Versions, ...}});     // the cycle 1 -> 0 -> 1; nothing was added
//
// An addition is O(steps log steps).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serval/evidence/order_basis.h"
#include "serval/history/ids.h"

namespace serval {

// `from` comes before `to`, because `earlier` saw or wrote the one and `later` the other.
struct VersionStep {
  std::uint32_t from, to;
  OrderBasis basis;
  OperationId earlier, later;
};

class VersionSteps {
 public:
  explicit VersionSteps(std::uint32_t versions) : versions_(versions) {}

  // Adds all of them; or none where they contradict what is known, and then a cycle that shows it.
  std::optional<std::vector<VersionStep>> add(std::vector<VersionStep> steps);

  // By (from, to), one step a pair: that of the basis that needs the least trust.
  std::span<const VersionStep> all() const noexcept { return steps_; }
  std::span<const VersionStep> from(std::uint32_t version) const;
  // Every version in order, where the steps leave only one; else empty. Each has a step to the next.
  std::vector<std::uint32_t> total_order() const;

 private:
  std::uint32_t versions_;
  std::vector<VersionStep> steps_;
};

}  // namespace serval
