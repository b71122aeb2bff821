#include "serval/report/report.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "serval/check/refutations.h"
#include "serval/report/quantity.h"

namespace serval {
namespace {

enum class Known : std::uint8_t { Open, Holds, Refuted };

void learn(std::vector<Known>& known, const CheckResult& result) {
  for (const LevelInfo& row : all_levels()) {
    Known& cell = known[static_cast<std::size_t>(row.level)];
    if (const auto* proof = std::get_if<Holds>(&result.verdict)) {
      const bool implied = implies(proof->proven, row.level) || implies(result.level, row.level);
      if (implied && !is_denied_by_snapshots(result, row.level)) cell = Known::Holds;
    } else if (violated(result.verdict) && refutes_stronger(result, row.level)) {
      cell = Known::Refuted;
    }
  }
}

// The levels that vendors offer and papers name come first, then the rest by strength.
constexpr std::array kBestKnown{Level::StrictSerializable,
                                Level::StrongSessionSerializable,
                                Level::Serializable,
                                Level::Linearizable,
                                Level::StrongSnapshotIsolation,
                                Level::StrongSessionSnapshotIsolation,
                                Level::SnapshotIsolation,
                                Level::RepeatableRead,
                                Level::StrongReadCommitted,
                                Level::StrongSessionReadCommitted,
                                Level::ReadCommittedMonotonic,
                                Level::ReadCommitted};

auto fame(Level level) { return std::ranges::find(kBestKnown, level); }

template <class Related>
bool none_other(const std::vector<Level>& levels, Level level, Related&& related) {
  return std::ranges::none_of(levels, [&](Level other) { return other != level && related(other, level); });
}

void find_extremes(Standing& known) {
  for (const Level level : known.holds)
    if (none_other(known.holds, level, implies)) known.greatest.push_back(level);
  std::ranges::stable_sort(known.greatest, {}, fame);
  for (auto level = known.refuted.rbegin(); level != known.refuted.rend(); ++level) {
    const bool weakest =
        none_other(known.refuted, *level, [](Level other, Level one) { return implies(one, other); });
    (weakest ? known.weakest_refuted : known.also_refuted).push_back(*level);
  }
}

// Checking a gate says nothing about stronger levels.
bool examined_above(const Report& report, const Standing& known, Level level) {
  if (report.survey && report.survey->complete()) return true;
  return none_other(known.open, level, implies);
}

// The levels that vendors call repeatable-read, with the vendors.
std::string meanings_of_repeatable_read() {
  std::string out;
  for (const LevelInfo& row : all_levels()) {
    std::string vendors;
    for (const std::string_view alias : row.aliases)
      if (alias.ends_with(":repeatable-read"))
        vendors += fmt::format("{}{}", vendors.empty() ? "" : ", ", alias.substr(0, alias.find(':')));
    if (!vendors.empty()) out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", row.name, vendors);
  }
  return out;
}

bool speaks_of_repeatable_read(const Report& report, const Standing& known) {
  constexpr Level kLevel = Level::RepeatableRead;
  return (report.gate && report.gate->level == kLevel) ||
         std::ranges::count(known.weakest_refuted, kLevel) + std::ranges::count(known.strongest, kLevel) > 0;
}

// The best-known kinds of cycles, most severe first.
constexpr std::array kBestKnownCycles{AnomalyKind::DirtyWrite,         AnomalyKind::CyclicInformationFlow,
                                      AnomalyKind::LostUpdate,         AnomalyKind::FracturedRead,
                                      AnomalyKind::CausalityViolation, AnomalyKind::LongFork,
                                      AnomalyKind::WriteSkew,          AnomalyKind::Phantom,
                                      AnomalyKind::PredicateWriteSkew};

auto prominence(AnomalyKind kind) {
  const bool is_cycle = kind > AnomalyKind::CyclicVersions;
  const auto known = std::ranges::find(kBestKnownCycles, kind) - kBestKnownCycles.begin();
  return std::pair(is_cycle ? known + 1 : 0, kind);
}

// For each kind, the search that found most of it; if several, the one at the weakest level.
std::map<AnomalyKind, const CheckResult*> best_search_by_kind(const Survey& survey) {
  const auto count = [](const CheckResult& result, AnomalyKind kind) {
    return std::get<Violated>(result.verdict).counts.at(kind);
  };
  std::map<AnomalyKind, const CheckResult*> best;
  for (const CheckResult& result : survey.results) {
    if (!violated(result.verdict)) continue;
    for (const auto& [kind, number] : std::get<Violated>(result.verdict).counts) {
      const CheckResult*& chosen = best[kind];
      const bool better = chosen == nullptr || number > count(*chosen, kind) ||
                          (number == count(*chosen, kind) && result.level < chosen->level);
      if (better) chosen = &result;
    }
  }
  return best;
}

constexpr std::size_t kHeadlineLevels = 2, kHeadlineKinds = 3;

// The first few, and the number of the rest.
std::string listed(const std::vector<std::string>& all, std::size_t shown, std::string_view separator) {
  const std::size_t count = std::min(all.size(), shown);
  std::string out =
      fmt::format("{}", fmt::join(all.begin(), all.begin() + static_cast<long>(count), separator));
  if (all.size() > count) out += fmt::format("{}{} more", separator, all.size() - count);
  return out;
}

std::string strongest_of(const Report& report) {
  const Standing known = standing(report);
  if (known.strongest.empty()) return known.open.empty() ? "none" : "unknown";
  std::vector<std::string> names;
  for (const Level level : known.strongest) names.emplace_back(name_of(level));
  names.resize(std::min(names.size(), kHeadlineLevels));
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

Standing standing(const Report& report) {
  std::vector<Known> known(all_levels().size(), Known::Open);
  if (report.survey) {
    for (const CheckResult& result : report.survey->results) learn(known, result);
    for (const Level level : report.survey->refuted) known[static_cast<std::size_t>(level)] = Known::Refuted;
  }
  if (report.gate) learn(known, report.result);

  Standing out;
  const std::span<const LevelInfo> levels = all_levels();
  for (auto row = levels.rbegin(); row != levels.rend(); ++row) {
    const Known cell = known[static_cast<std::size_t>(row->level)];
    (cell == Known::Holds     ? out.holds
     : cell == Known::Refuted ? out.refuted
                              : out.open)
        .push_back(row->level);
  }
  find_extremes(out);
  for (const Level level : out.greatest)
    if (examined_above(report, out, level)) out.strongest.push_back(level);
  return out;
}

std::optional<Undecided> nothing_to_judge(const History& history) {
  const auto outcomes = history.outcome_column();
  if (std::ranges::find(outcomes, Outcome::Committed) != outcomes.end()) return std::nullopt;
  const std::string what = history.transaction_count() == 0 ? "the history has no transactions"
                                                            : "no transaction of the history committed";
  return Undecided{Undecided::Cause::NoTransactions,
                   what + ", so it shows nothing about any level",
                   {"check that the recorder wrote anything, and that the database responded"}};
}

std::optional<Level> level_of_gate(const Report& report) {
  return report.gate ? std::optional(report.gate->level) : std::nullopt;
}

std::string_view name_of(Gate::Origin origin) { return origin == Gate::Origin::Asked ? "asked" : "promised"; }

Headline headline(const Report& report) {
  return shows_violation(report.run) ? Headline::Violation : level_headline(report);
}

Headline level_headline(const Report& report) {
  if (holds(report.result.verdict)) return Headline::Valid;
  if (undecided(report.result.verdict)) return Headline::Unknown;
  return report.gate ? Headline::Violation : Headline::Anomaly;
}

std::string_view name_of(Headline headline) {
  static constexpr std::array<std::string_view, 4> kNames{"valid", "violation", "anomaly", "unknown"};
  return kNames[static_cast<std::size_t>(headline)];
}

std::string headline_subject(const Report& report) {
  if (is_broken(report.run) && !violated(report.result.verdict) && report.run->found_on_the_way.empty())
    return "invariant";
  if (report.run && report.run->mirrored_in_all > 0 && report.run->found_on_the_way.empty() &&
      !violated(report.result.verdict))
    return "mirror";
  if (report.gate) return std::string(name_of(report.gate->level));
  if (!report.survey) return "any";
  switch (level_headline(report)) {
    case Headline::Valid:
      return strongest_of(report);
    case Headline::Unknown:
      return standing(report).strongest.empty() ? "any" : "strongest=" + strongest_of(report);
    default:
      return fmt::format("strongest={} found={}", strongest_of(report),
                         listed(format_counts(counts_of(report)), kHeadlineKinds, ", "));
  }
}

const std::map<AnomalyKind, std::uint64_t>& counts_of(const Report& report) {
  static const std::map<AnomalyKind, std::uint64_t> kNone;
  if (!report.gate && report.survey) return report.survey->found;
  const auto* violation = std::get_if<Violated>(&report.result.verdict);
  return violation == nullptr ? kNone : violation->counts;
}

std::vector<ShownAnomaly> shown_anomalies(const Report& report) {
  std::vector<ShownAnomaly> out;
  const auto* violation = std::get_if<Violated>(&report.result.verdict);
  if (violation == nullptr) return out;
  if (report.gate || !report.survey) {
    for (const Anomaly& anomaly : violation->anomalies) out.push_back({report.result.level, &anomaly});
  } else {
    std::vector<std::pair<std::size_t, ShownAnomaly>> rounds;
    for (const auto& [kind, result] : best_search_by_kind(*report.survey)) {
      std::size_t round = 0;
      for (const Anomaly& anomaly : std::get<Violated>(result->verdict).anomalies)
        if (anomaly.kind == kind) rounds.push_back({round++, {result->level, &anomaly}});
    }
    std::ranges::stable_sort(rounds, {}, [](const auto& one) {
      return std::pair(one.first, prominence(one.second.anomaly->kind));
    });
    for (const auto& [round, shown] : rounds) out.push_back(shown);
  }
  if (out.size() > report.max_findings) out.resize(std::max<std::size_t>(report.max_findings, 1));
  return out;
}

std::vector<std::string> format_counts(const std::map<AnomalyKind, std::uint64_t>& counts) {
  std::vector<AnomalyKind> kinds;
  kinds.reserve(counts.size());
  for (const auto& [kind, count] : counts) kinds.push_back(kind);
  std::ranges::sort(kinds, {}, prominence);
  std::vector<std::string> out;
  out.reserve(kinds.size());
  for (const AnomalyKind kind : kinds)
    out.push_back(fmt::format("{} {}", format_count(counts.at(kind)), name_of(kind)));
  return out;
}

std::optional<std::uint64_t> clients_of(const History& history) {
  const auto fact = history.facts().find("clients");
  if (fact == history.facts().end()) return std::nullopt;
  const std::string& text = fact->second;
  std::uint64_t clients = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), clients);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(clients) : std::nullopt;
}

std::vector<std::string> remarks(const Report& report) {
  std::vector<std::string> out;
  if (speaks_of_repeatable_read(report, standing(report)))
    out.push_back(
        fmt::format("repeatable-read is Adya's PL-2.99, without predicates the same as "
                    "serializable; vendors give the name to {}",
                    meanings_of_repeatable_read()));
  const CheckResult& result = report.result;
  if (!result.unused_certificate.empty() && !undecided(result.verdict))
    out.push_back("the reads alone decided; the version certificate was not used: " +
                  result.unused_certificate);
  if (result.snapshots_contradicted && !forbids(result.level, AnomalyKind::OutsideSnapshot))
    out.emplace_back(
        "the certificate claims snapshots that do not show what was read or replaced; this matters only for "
        "snapshot isolation");
  if (!result.failed_order.empty() && !violated(result.verdict))
    out.push_back(fmt::format("{} requires no serial order, so the expected order decides nothing here: {}",
                              name_of(result.level), result.failed_order));
  if (!report.model_hint.empty()) out.push_back(report.model_hint);
  return out;
}

}  // namespace serval
