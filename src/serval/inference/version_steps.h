#pragma once
// What is known about the order of one key's versions, step by step, kept acyclic. Versions are numbered
// from 0.
//
//   VersionSteps known(3);
//   known.add({{0, 1, OrderBasis::Reads, ...}});        // nothing: no contradiction
//   known.add({{1, 0, OrderBasis::Versions, ...}});     // the cycle 1 -> 0 -> 1; nothing was added
//
// Adding takes O(steps log steps).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serval/evidence/order_basis.h"
#include "serval/history/ids.h"

namespace serval {

// `from` precedes `to`, because `earlier` saw or wrote the former and `later` the latter.
struct VersionStep {
  std::uint32_t from, to;
  OrderBasis basis;
  OperationId earlier, later;
};

class VersionSteps {
 public:
  explicit VersionSteps(std::uint32_t versions) : versions_(versions) {}

  // Adds all steps, or none if they contradict what is known; returns a cycle that shows the
  // contradiction.
  std::optional<std::vector<VersionStep>> add(std::vector<VersionStep> steps);

  // By (from, to), one step per pair: the one whose basis needs the least trust.
  std::span<const VersionStep> all() const noexcept { return steps_; }
  std::span<const VersionStep> from(std::uint32_t version) const;
  // All versions in order if the steps allow only one order, otherwise empty. Each has a step to the
  // next.
  std::vector<std::uint32_t> total_order() const;

 private:
  std::uint32_t versions_;
  std::vector<VersionStep> steps_;
};

}  // namespace serval
