#include "serval/report/report.h"

#include <algorithm>

namespace serval {
namespace {

enum class Known : std::uint8_t { Open, Holds, Refuted };

void learn(std::vector<Known>& known, const CheckResult& result) {
  for (const LevelInfo& row : all_levels()) {
    Known& cell = known[static_cast<std::size_t>(row.level)];
    if (const auto* proof = std::get_if<Holds>(&result.verdict)) {
      if (implies(proof->proven, row.level) || implies(result.level, row.level)) cell = Known::Holds;
    } else if (violated(result.verdict) && implies(row.level, result.level)) {
      cell = Known::Refuted;
    }
  }
}

void find_extremes(Standing& known) {
  const auto none_other = [](const std::vector<Level>& levels, Level level, auto&& related) {
    return std::ranges::none_of(levels, [&](Level other) { return other != level && related(other, level); });
  };
  for (const Level level : known.holds)
    if (none_other(known.holds, level, [](Level other, Level one) { return implies(other, one); }))
      known.strongest.push_back(level);
  for (auto level = known.refuted.rbegin(); level != known.refuted.rend(); ++level) {
    const bool weakest =
        none_other(known.refuted, *level, [](Level other, Level one) { return implies(one, other); });
    (weakest ? known.weakest_refuted : known.also_refuted).push_back(*level);
  }
}

}  // namespace

Standing standing(const Report& report) {
  std::vector<Known> known(all_levels().size(), Known::Open);
  if (report.survey) {
    for (const CheckResult& result : report.survey->results) learn(known, result);
    for (const Level level : report.survey->refuted) known[static_cast<std::size_t>(level)] = Known::Refuted;
  }
  if (report.asked) learn(known, report.result);

  Standing out;
  const std::span<const LevelInfo> levels = all_levels();
  for (auto row = levels.rbegin(); row != levels.rend(); ++row) {
    const Known cell = known[static_cast<std::size_t>(row->level)];
    (cell == Known::Holds     ? out.holds
     : cell == Known::Refuted ? out.refuted
                              : out.open)
        .push_back(row->level);
  }
  if (report.survey && report.survey->strongest_proven)
    out.strongest_holding = report.survey->strongest_proven;
  if (!out.strongest_holding && !out.holds.empty()) out.strongest_holding = out.holds.front();
  find_extremes(out);
  return out;
}

std::string_view headline(const Verdict& verdict) {
  return holds(verdict) ? "valid" : violated(verdict) ? "violation" : "unknown";
}

std::string_view headline(const Report& report) {
  const bool found = is_broken(report.run) || (report.run && !report.run->found_on_the_way.empty());
  return found ? "violation" : headline(report.result.verdict);
}

std::string_view headline_level(const Report& report) {
  if (is_broken(report.run) && !violated(report.result.verdict) && report.run->found_on_the_way.empty())
    return "invariant";
  if (!report.asked && undecided(report.result.verdict)) return "any";
  return name_of(report.result.level);
}

}  // namespace serval
