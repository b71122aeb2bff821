#include "serval/check/check.h"

#include <algorithm>
#include <utility>

#include "serval/check/judge.h"
#include "serval/check/refutations.h"
#include "serval/check/replay/check_by_replay.h"

namespace serval {
namespace {

bool is_refuted_by_certificate(const CheckResult& result) {
  return violated(result.verdict) &&
         std::ranges::any_of(std::get<Violated>(result.verdict).anomalies, rests_on_certificate);
}

// A certificate may contradict the snapshots of a history that has a serial order. Then serializable
// holds, but snapshot isolation is violated, because only it makes a claim about snapshots.
void draw_conclusions(Survey& survey, const Refutations& refutes) {
  const bool certified = std::ranges::any_of(survey.results, is_refuted_by_certificate);
  const auto levels = all_levels();
  for (auto info = levels.rbegin(); info != levels.rend(); ++info) {
    const auto any = [&](auto&& says) {
      return std::ranges::any_of(survey.results, [&](const CheckResult& r) { return says(r, info->level); });
    };
    const bool proven = any(proves);
    if (proven) survey.proven.push_back(info->level);
    const auto refutes_weaker = [&](const CheckResult& r, Level level) {
      return std::ranges::any_of(levels, [&](const LevelInfo& weaker) {
        if (!implies(level, weaker.level) || !refutes(r, weaker.level)) return false;
        const auto both_forbid = [&](const auto& counted) {
          return forbids(weaker.level, counted.first) && forbids(level, counted.first);
        };
        return std::ranges::any_of(std::get<Violated>(r.verdict).counts, both_forbid);
      });
    };
    if ((any(refutes) || any(refutes_weaker)) && !(proven && certified))
      survey.refuted.push_back(info->level);
  }
  for (const CheckResult& result : survey.results) {
    if (!violated(result.verdict)) continue;
    for (const auto& [kind, count] : std::get<Violated>(result.verdict).counts)
      survey.found[kind] = std::max(survey.found[kind], count);
  }
}

bool can_show(const History& history, Level level) {
  return !uses_real_time(level) || history.has_times() || history.transaction_count() <= 1;
}

// Decides a level that its own engine leaves open from the results of other levels.
class ConclusionFromLevels {
 public:
  ConclusionFromLevels(const History& history, Judge& judge, CheckResult& result)
      : history_(history), refutes_(history), judge_(judge), result_(result) {}

  void draw() {
    const auto levels = all_levels();
    // The weakest first: if it is violated, so are the stronger ones.
    for (const LevelInfo& info : levels)
      if (implies(info.level, result_.level) && ask(info.level)) return;
    for (auto info = levels.rbegin(); info != levels.rend(); ++info)
      if (implies(result_.level, info->level) && ask(info->level)) return;
  }

 private:
  // Whether this decided the level.
  bool ask(Level level) {
    const bool known = std::ranges::any_of(
        others_, [&](const CheckResult& r) { return proves(r, level) || refutes_(r, level) || ran_out(r); });
    if (known && implies(result_.level, level) && follow_refutation(level)) return true;
    if (level == result_.level || known || !can_show(history_, level)) return false;
    others_.push_back(judge_.judge(level));
    CheckResult& other = others_.back();
    result_.phases.insert(result_.phases.end(), other.phases.begin(), other.phases.end());
    if (proves(other, result_.level)) return adopt(std::get<Holds>(other.verdict), other);
    if (std::optional<Violated> found = violation_of(result_.level, other, refutes_))
      return adopt(std::move(*found), other);
    return false;
  }

  // Uses a violation of another level that also refutes `weaker`, and so this level.
  bool follow_refutation(Level weaker) {
    for (const CheckResult& other : others_)
      if (std::optional<Violated> found = violation_of(weaker, other, refutes_))
        if (keep_forbidden(*found, result_.level)) return adopt(std::move(*found), other);
    return false;
  }

  bool adopt(Verdict verdict, const CheckResult& other) {
    result_.verdict = std::move(verdict);
    result_.engine = other.engine;
    result_.complete = true;
    result_.attempts = other.attempts;
    result_.replayed = other.replayed;
    result_.unused_certificate = other.unused_certificate;
    if (other.without_certificate) result_.without_certificate = judge_.ask_other_orders(result_.level);
    if (other.without_expected_order) result_.without_expected_order = judge_.ask_other_orders(result_.level);
    return true;
  }

  const History& history_;
  Refutations refutes_;
  Judge& judge_;
  CheckResult& result_;
  std::vector<CheckResult> others_;
};

// For a level that certificates do not cover: what the reads refute, a certificate cannot repair.
void ask_reads(Judge& judge, CheckResult& result) {
  CheckResult other = judge.judge_without_certificate(result.level);
  other.phases.insert(other.phases.begin(), result.phases.begin(), result.phases.end());
  if (violated(other.verdict))
    result = std::move(other);
  else if (holds(other.verdict))
    std::get<Undecided>(result.verdict)
        .details.push_back("without the certificate, by the reads alone, the level holds");
}

}  // namespace

std::uint64_t effort_of_second_opinion(std::uint64_t effort_of_first) {
  constexpr std::uint64_t kLeast = 50'000'000;
  return std::max(kLeast, 2 * effort_of_first);
}

Checker::Checker(const History& history, VersionHints hints)
    : history_(history), hints_(std::move(hints)), inferred_(std::make_shared<Inferred>()) {}

CheckResult Checker::check(Level level, CheckOptions options) {
  options.hints = hints_;
  Judge judge(history_, options, inferred_);
  CheckResult result = judge.judge(level);
  const bool may_follow = undecided(result.verdict) && !ran_out(result) && options.engine == Engine::Auto &&
                          !requires_order(level, options);
  if (may_follow) ConclusionFromLevels(history_, judge, result).draw();
  if (may_follow && undecided(result.verdict) && result.engine == "certificate") ask_reads(judge, result);
  return result;
}

Survey Checker::survey(CheckOptions options) {
  options.hints = hints_;
  Survey survey;
  Judge judge(history_, options, inferred_);
  const Refutations refutes(history_);
  const auto visit = [&](Level level) {
    const bool settled = std::ranges::any_of(survey.results, [&](const CheckResult& r) {
      return proves(r, level) || refutes(r, level) || ran_out(r);
    });
    // Without times, the strong levels can only be refuted, namely by violations of their strong-session
    // variants.
    if (settled || !can_show(history_, level)) return;
    survey.results.push_back(judge.judge(level));
    CheckResult& result = survey.results.back();
    if (options.engine == Engine::Auto && undecided(result.verdict) && !ran_out(result) &&
        result.engine == "certificate")
      ask_reads(judge, result);
  };
  if (!can_show(history_, survey.top)) survey.top = Level::StrongSessionSerializable;
  for (const Level level : kGraphLevels) visit(level);
  visit(Level::Causal);  // Implies most of the weaker levels.
  // The weak levels, weakest first: a read that one of them forbids refutes every level that implies it.
  for (const LevelInfo& info : all_levels()) visit(info.level);
  draw_conclusions(survey, refutes);
  return survey;
}

CheckResult check(const History& history, Level level, const CheckOptions& options) {
  return Checker(history, options.hints).check(level, options);
}

Survey survey(const History& history, const CheckOptions& options) {
  return Checker(history, options.hints).survey(options);
}

const CheckResult* Survey::headline() const {
  const CheckResult* weakest = nullptr;
  for (const CheckResult& result : results)
    if (violated(result.verdict) && (weakest == nullptr || result.level < weakest->level)) weakest = &result;
  if (weakest != nullptr) return weakest;
  const auto proof = std::ranges::find_if(results, [&](const CheckResult& r) { return proves(r, top); });
  if (proof != results.end()) return &*proof;
  const auto open = std::ranges::find_if(results, [](const CheckResult& r) { return undecided(r.verdict); });
  return open == results.end() ? nullptr : &*open;
}

bool Survey::complete() const { return std::ranges::none_of(results, ran_out); }

Phases Survey::phases() const {
  Phases sums;
  for (const CheckResult& result : results)
    for (const auto& [name, seconds] : result.phases) {
      auto sum = std::ranges::find(sums, name, &Phases::value_type::first);
      if (sum == sums.end()) sum = sums.insert(sums.end(), {name, 0.0});
      sum->second += seconds;
    }
  return sums;
}

}  // namespace serval
