#include "serval/inference/version_steps.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "serval/base/equal_span.h"

namespace serval {
namespace {

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

auto key_of(const VersionStep& step) { return std::tuple(step.from, step.to, step.basis); }

void sort_and_merge(std::vector<VersionStep>& steps) {
  std::ranges::stable_sort(steps, {}, key_of);
  const auto same_pair = [](const VersionStep& a, const VersionStep& b) {
    return a.from == b.from && a.to == b.to;
  };
  steps.erase(std::unique(steps.begin(), steps.end(), same_pair), steps.end());
}

std::span<const VersionStep> steps_from(std::span<const VersionStep> steps, std::uint32_t version) {
  return equal_span(steps, version, &VersionStep::from);
}

// Kahn's algorithm; shorter than the number of versions if there is a cycle.
std::vector<std::uint32_t> topological(std::span<const VersionStep> steps, std::uint32_t versions) {
  std::vector<std::uint32_t> before(versions, 0), order;
  for (const VersionStep& step : steps) ++before[step.to];
  for (std::uint32_t v = 0; v < versions; ++v)
    if (before[v] == 0) order.push_back(v);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const VersionStep& step : steps_from(steps, order[i]))
      if (--before[step.to] == 0) order.push_back(step.to);
  return order;
}

// A shortest path from one version to another, breadth first; empty if there is none.
std::vector<VersionStep> path(std::span<const VersionStep> steps, std::uint32_t versions, std::uint32_t from,
                              std::uint32_t to) {
  std::vector<std::uint32_t> reached_by(versions, kUnseen);  // Index of a step.
  std::vector<std::uint32_t> queue{from};
  for (std::size_t i = 0; i < queue.size() && reached_by[to] == kUnseen; ++i)
    for (const VersionStep& step : steps_from(steps, queue[i])) {
      if (step.to == from || reached_by[step.to] != kUnseen) continue;
      reached_by[step.to] = static_cast<std::uint32_t>(&step - steps.data());
      queue.push_back(step.to);
    }
  std::vector<VersionStep> way;
  if (reached_by[to] == kUnseen) return way;
  for (std::uint32_t at = to; at != from; at = way.back().from) way.push_back(steps[reached_by[at]]);
  std::ranges::reverse(way);
  return way;
}

// A short cycle through one of the new steps. Only a few steps are tried: any cycle is proof enough.
std::vector<VersionStep> cycle_through(std::span<const VersionStep> added, std::span<const VersionStep> all,
                                       std::uint32_t versions) {
  constexpr int kTries = 64;
  std::vector<VersionStep> shortest;
  int tries = 0;
  for (const VersionStep& step : added) {
    if (!shortest.empty() && tries >= kTries) break;
    std::vector<VersionStep> way = path(all, versions, step.to, step.from);
    if (way.empty()) continue;
    ++tries;
    way.insert(way.begin(), step);
    if (shortest.empty() || way.size() < shortest.size()) shortest = std::move(way);
  }
  return shortest;
}

}  // namespace

std::optional<std::vector<VersionStep>> VersionSteps::add(std::vector<VersionStep> steps) {
  std::vector<VersionStep> all = steps_;
  all.insert(all.end(), steps.begin(), steps.end());
  sort_and_merge(all);
  if (topological(all, versions_).size() < versions_) {
    sort_and_merge(steps);
    return cycle_through(steps, all, versions_);
  }
  steps_ = std::move(all);
  return std::nullopt;
}

std::span<const VersionStep> VersionSteps::from(std::uint32_t version) const {
  return steps_from(steps_, version);
}

std::vector<std::uint32_t> VersionSteps::total_order() const {
  std::vector<std::uint32_t> order = topological(steps_, versions_);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto next = from(order[i]);
    if (!std::ranges::binary_search(next, order[i + 1], {}, &VersionStep::to)) return {};
  }
  return order;
}

}  // namespace serval
