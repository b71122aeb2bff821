#include "serval/check/check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "serval/check/certificate/certificate_check.h"
#include "serval/check/dependency/dependency_levels.h"
#include "serval/check/dependency/single_anti_dependency.h"
#include "serval/check/found_anomalies.h"
#include "serval/check/lightweight/lightweight.h"
#include "serval/check/new_rows.h"
#include "serval/check/refutations.h"
#include "serval/check/replay/check_by_replay.h"
#include "serval/check/replay/serial_order_search.h"
#include "serval/check/saturation/saturation.h"
#include "serval/inference/unknown_writes.h"

namespace serval {
namespace {

// The levels that cycles decide, so that whatever implies another stands before it.
constexpr std::array kGraphLevels{
    Level::StrictSerializable,      Level::StrongSessionSerializable,      Level::Serializable,
    Level::StrongSnapshotIsolation, Level::StrongSessionSnapshotIsolation, Level::SnapshotIsolation};

// The weakest of them that implies `level`; none for levels that nothing here implies.
std::optional<Level> weakest_graph_level_above(Level level) {
  std::optional<Level> weakest;
  for (const Level candidate : kGraphLevels) {
    if (implies(candidate, level) && (!weakest || implies(*weakest, candidate))) weakest = candidate;
  }
  return weakest;
}

Undecided no_engine(std::string reason) {
  return {Undecided::Cause::NoEngine, std::move(reason), {"no read that the level forbids"}};
}

bool ran_out(const CheckResult& result) {
  const auto* open = std::get_if<Undecided>(&result.verdict);
  return open != nullptr && open->cause >= Undecided::Cause::EffortBudget;
}

// One history, its relations inferred once, judged at any number of levels.
class Judge {
 public:
  Judge(const History& history, const CheckOptions& options)
      : history_(history),
        options_(options),
        budget_(options.budget != nullptr ? *options.budget : unlimited_) {}

  CheckResult judge(Level level) {
    CheckResult result{
        .level = level, .verdict = Undecided{}, .engine = "read-anomalies", .complete = false, .phases = {}};
    try {
      if (!knows_values_ && !unknown_writes_) unknown_writes_.emplace(history_, budget_);
      if (unknown_writes_ && unknown_writes_->any())
        result = judge_unknown(level);
      else
        judge_known(level, result);
      if (holds(result.verdict) && contradicts_snapshots()) result.snapshots_contradicted = true;
    } catch (const BudgetExhausted& exhausted) {
      result.verdict = cut_short(exhausted, proven_so_far());
    } catch (const std::bad_alloc&) {
      result.verdict =
          Undecided{Undecided::Cause::MemoryBudget, "memory budget used up", proven_so_far(), "check"};
    }
    result.complete = !undecided(result.verdict);
    return result;
  }

  const Relations& relations() {
    if (!relations_) {
      relations_ = infer_relations(history_, budget_);
      add_version_hints(history_, options_.hints, *relations_, budget_);
    }
    return *relations_;
  }

  // Whether some other order explains the history: two facts, and both are told. Worth a few times the effort
  // of the first answer.
  CheckResult::WithoutCertificate ask_without_certificate(Level level) {
    using Answer = CheckResult::WithoutCertificate::Answer;
    const CheckResult other = judge_without_certificate(level);
    if (holds(other.verdict)) return {Answer::SomeOrderExists, {}};
    if (violated(other.verdict)) return {Answer::NoOrderExists, {}};
    return {Answer::NotKnown, std::get<Undecided>(other.verdict).reason};
  }

  CheckResult judge_without_certificate(Level level) {
    Budget budget = budget_.with_effort(effort_of_second_opinion(budget_.effort() - effort_before_));
    CheckOptions options = options_;
    options.budget = &budget;
    options.engine = Engine::Auto;
    options.use_certificate = false;
    return Judge(history_, options).judge(level);
  }

 private:
  // The same history with other values.
  struct Variant {
    Variant(History changed, std::vector<TakenWrite> reads, const CheckOptions& options)
        : history(std::move(changed)),
          taken(std::move(reads)),
          judge(std::make_unique<Judge>(history, options)) {
      judge->knows_values_ = true;
    }
    History history;
    std::vector<TakenWrite> taken;
    std::unique_ptr<Judge> judge;
  };

  // Writes of values that were not recorded: what contradicts itself without the reads that they may explain
  // is refuted, what holds for some values that they may have written holds.
  CheckResult judge_unknown(Level level) {
    if (!without_uncertain_)
      without_uncertain_ = std::make_unique<Variant>(unknown_writes_->without_uncertain_reads(),
                                                     std::vector<TakenWrite>{}, options_);
    CheckResult result = without_uncertain_->judge->judge(level);
    if (violated(result.verdict) || ran_out(result)) return result;
    for (std::size_t i = 0; i < unknown_writes_->guess_count(); ++i) {
      result = variant(i).judge->judge(level);
      if (Holds* found = std::get_if<Holds>(&result.verdict)) found->taken_writes = variant(i).taken;
      if (holds(result.verdict) || ran_out(result)) return result;
    }
    result.verdict = unknown_values(result.verdict);
    return result;
  }

  Variant& variant(std::size_t number) {
    if (number >= variants_.size()) {
      std::vector<TakenWrite> taken = unknown_writes_->guess(number);
      History changed = unknown_writes_->with_values(taken);
      variants_.push_back(std::make_unique<Variant>(std::move(changed), std::move(taken), options_));
    }
    return *variants_[number];
  }

  Undecided unknown_values(const Verdict& last) const {
    if (const auto* open = std::get_if<Undecided>(&last); open != nullptr) {
      Undecided said = *open;
      said.details.push_back(describe_unknown_writes(history_, unknown_writes_->writes()));
      return said;
    }
    return {Undecided::Cause::Precondition,
            "the values of some writes were not recorded, and no values were found that explain the reads",
            {describe_unknown_writes(history_, unknown_writes_->writes()),
             "no violation without the reads that they may explain"}};
  }

  void judge_known(Level level, CheckResult& result) {
    trail_ = {};
    engine_of_search_ = "polygraph";
    const auto note = [&] {
      result.attempts = trail_.attempts();
      if (!result.attempts.empty()) result.engine = engine_of_search_;
    };
    try {
      decide(level, result);
    } catch (...) {
      note();
      throw;
    }
    note();
    if (violated(result.verdict) && result.engine != "certificate" && tells_new_rows_apart(level))
      tell_new_rows_apart(level, result);
  }

  // A violation that needs an inserted row to be the one that was deleted before is none (see new_rows.h).
  void tell_new_rows_apart(Level level, CheckResult& result) {
    if (!renewed_) renewed_ = renewed_keys(history_);
    if (renewed_->empty()) return;
    if (!without_renewed_) {
      CheckOptions options = options_;
      options.use_certificate = false;  // Which would miss the keys that are left out in answers of ranges.
      without_renewed_ =
          std::make_unique<Variant>(without_keys(history_, *renewed_), std::vector<TakenWrite>{}, options);
    }
    CheckResult other = without_renewed_->judge->judge(level);
    // What no object at all can have shown is a violation whichever is which. An insert that finds no row
    // where there was one before makes another object.
    const auto is_bad_read = [&](const Anomaly& anomaly) {
      const auto* bad = std::get_if<BadRead>(&anomaly.evidence);
      return bad != nullptr && (anomaly.kind != AnomalyKind::NonRepeatableRead ||
                                history_.kind(bad->read) != OperationKind::Insert);
    };
    if (!violated(other.verdict) &&
        std::ranges::any_of(std::get<Violated>(result.verdict).anomalies, is_bad_read))
      return;
    other.phases.insert(other.phases.begin(), result.phases.begin(), result.phases.end());
    result = std::move(other);
    if (violated(result.verdict) || ran_out(result)) return;
    result.verdict = Undecided{
        Undecided::Cause::Precondition,
        "it depends on whether a row that is made after a delete is another object than the deleted one",
        {fmt::format("deleted and made again: {}{}", history_.format_key(renewed_->front()),
                     renewed_->size() == 1 ? "" : fmt::format(", and {} more keys", renewed_->size() - 1)),
         "no violation without these keys; a version certificate tells the rows apart"}};
  }

  void decide(Level level, CheckResult& result) {
    const bool asked = options_.engine == Engine::Certificate;
    if (asked || (options_.engine == Engine::Auto && options_.use_certificate &&
                  options_.hints.assumptions.empty() && !history_.certificate().empty())) {
      timed(result, "certificate", [&] { read_certificate(); });
      if (certified_->problem().empty()) decide_by_certificate(level, result);
      if (certified_->problem().empty()) return;
      trail_ = {};
      engine_of_search_ = "polygraph";
      result.without_certificate.reset();
      if (asked) {
        result.engine = "certificate";
        result.verdict = Undecided{Undecided::Cause::Precondition, certified_->problem(), {}};
        return;
      }
    }
    if (certified_) result.unused_certificate = certified_->problem();
    decide_by_reads(level, result);
    if (undecided(result.verdict) && options_.engine == Engine::Auto) search_serial_order(level, result);
    if (Undecided* open = std::get_if<Undecided>(&result.verdict); open != nullptr && certified_)
      open->details.push_back("the certificate does not settle it: " + certified_->problem());
  }

  void read_certificate() {
    if (!certified_) certified_ = std::make_unique<CertifiedHistory>(history_, budget_);
  }

  void decide_by_certificate(Level level, CheckResult& result) {
    result.engine = engine_of_search_ = "certificate";
    const std::optional<Level> judged =
        decides_by_certificate(level) ? std::optional(level) : weakest_graph_level_above(level);
    if (!judged || !decides_by_certificate(*judged)) {
      result.verdict = no_engine("a certificate says nothing about " + std::string(name_of(level)));
      return;
    }
    timed(result, "check",
          [&] { result.verdict = check_certificate(*certified_, *judged, options_, trail_, budget_); });
    if (!violated(result.verdict)) return;
    if (*judged != level) {
      result.verdict = no_engine(std::string(name_of(*judged)) + ", which would imply it, is violated");
      return;
    }
    result.without_certificate = ask_without_certificate(level);
  }

  void decide_by_reads(Level level, CheckResult& result) {
    if (decide_by_replay(level, result)) return;
    timed(result, "infer", [&] { relations(); });
    const bool lightweight = options_.engine == Engine::LightweightTransaction ||
                             (options_.engine == Engine::Auto && level == Level::Linearizable);
    timed(result, "check", [&] {
      if (lightweight) {
        decide_lightweight(level, result);
      } else if (decides_by_graph(level)) {
        result.engine = dependency_engine(relations());
        result.verdict = check_dependencies(history_, relations(), level, options_, trail_, budget_);
      } else if (decides_by_single_anti_dependencies(level)) {
        result.engine = "single-anti-dependency";
        result.verdict = check_single_anti_dependencies(history_, relations(), level, options_, budget_);
      } else if (decides_by_saturation(level) && options_.engine == Engine::Auto) {
        result.engine = "saturation";
        result.verdict = check_by_saturation(history_, relations(), level, options_, budget_);
      } else {
        decide_by_neighbours(level, result);
      }
    });
  }

  // An expected order that passes is a proof. One that fails says nothing about others: the search goes on.
  bool decide_by_replay(Level level, CheckResult& result) {
    const bool asked = options_.engine == Engine::Replay;
    // An order that passes need not be one that keeps an assumption.
    const bool tries = options_.engine == Engine::Auto && options_.hints.assumptions.empty() &&
                       !replay_fails_ && level != Level::Linearizable && proves_by_replay(level) &&
                       suggests_replay(history_, options_);
    if (!asked && !tries) return false;
    timed(result, "replay", [&] { result.verdict = check_by_replay(history_, level, options_, budget_); });
    // Sessions and real time may be all that is wrong at the strong levels.
    replay_fails_ = !holds(result.verdict) && !uses_session_order(level) && !uses_real_time(level);
    if (!asked && !holds(result.verdict)) return false;
    result.engine = "replay";
    result.replayed = true;
    return true;
  }

  // Predicates without a certificate: an order that reads and times suggest, if it passes the replay.
  void search_serial_order(Level level, CheckResult& result) {
    if (std::ranges::none_of(history_.kind_column(), is_predicate)) return;
    if (!options_.hints.assumptions.empty() || !proves_by_replay(level) || level == Level::Linearizable)
      return;
    timed(result, "search", [&] {
      SerialOrderSearch search(history_, relations(), level, budget_);
      if (search.run()) {
        CheckOptions options = options_;
        options.expected_order = {ExpectedOrderSource::Given, search.order()};
        Verdict verdict = check_by_replay(history_, level, options, budget_);
        if (holds(verdict)) {
          result.verdict = std::move(verdict);
          result.engine = engine_of_search_ = "replay";
          return;
        }
      }
      if (!search.obstacle().empty())
        std::get<Undecided>(result.verdict)
            .details.push_back("no order was found; the last one tried fails: " + search.obstacle());
    });
  }

  void decide_lightweight(Level level, CheckResult& result) {
    result.engine = "lightweight-transaction";
    if (level != Level::Linearizable) {
      result.verdict = no_engine("the lightweight-transaction engine decides linearizable only");
    } else if (!is_single_operation_history(history_, relations())) {
      result.verdict =
          no_engine("linearizable applies to single operations, and the history has longer transactions");
    } else if (relations().has_unsupported()) {
      result.verdict = missing_order(history_, relations());
    } else if (!relations().shows_order.empty()) {
      result.engine = dependency_engine(relations());
      result.verdict = check_dependencies(history_, relations(), level, options_, trail_, budget_);
    } else {
      result.verdict = check_lightweight_transactions(history_, relations(), options_, budget_);
    }
  }

  // A level without a search of its own: refuted by a read it forbids, proven by a stronger level that holds.
  void decide_by_neighbours(Level level, CheckResult& result) {
    std::vector<Anomaly> reads = forbidden_reads(relations(), level);
    std::ranges::move(contradicting_versions(relations(), level), std::back_inserter(reads));
    if (!reads.empty()) {
      result.verdict = make_violated(std::move(reads), options_);
      return;
    }
    const std::optional<Level> stronger = weakest_graph_level_above(level);
    if (stronger) {
      result.engine = dependency_engine(relations());
      Verdict verdict = check_dependencies(history_, relations(), *stronger, options_, trail_, budget_);
      if (Violated* violation = std::get_if<Violated>(&verdict)) keep_certain(level, *violation);
      if (!violated(verdict) || !std::get<Violated>(verdict).anomalies.empty()) {
        result.verdict = std::move(verdict);
        return;
      }
    }
    Undecided open =
        no_engine("no engine of this version decides " + std::string(name_of(level)) + " on its own");
    if (stronger)
      open.details.push_back(std::string(name_of(*stronger)) + ", which would imply it, is violated");
    result.verdict = std::move(open);
  }

  // What a violation of a stronger level also says about this one. Without predicate operations repeatable
  // read forbids the same cycles as serializable; of the other levels only cycles without anti-dependencies
  // are certain here.
  static void keep_certain(Level level, Violated& violation) {
    if (level == Level::RepeatableRead) return;
    const auto allowed = [level](AnomalyKind kind) {
      return !forbids(level, kind) ||
             (kind != AnomalyKind::DirtyWrite && kind != AnomalyKind::CyclicInformationFlow);
    };
    std::erase_if(violation.anomalies, [&](const Anomaly& anomaly) { return allowed(anomaly.kind); });
    std::erase_if(violation.counts, [&](const auto& counted) { return allowed(counted.first); });
  }

  template <class Step>
  void timed(CheckResult& result, std::string_view phase, Step&& step) const {
    const auto start = std::chrono::steady_clock::now();
    const auto note = [&] {
      result.phases.emplace_back(
          phase, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    };
    try {
      step();
    } catch (...) {
      note();
      throw;
    }
    note();
  }

  bool contradicts_snapshots() {
    if (!certified_ || !certified_->problem().empty()) return false;
    if (!contradicts_snapshots_)
      contradicts_snapshots_ = !certified_->reads().snapshot_faults(budget_).empty();
    return *contradicts_snapshots_;
  }

  std::vector<std::string> proven_so_far() const {
    if (!relations_) return {"nothing was proven yet"};
    return {relations_->faults.empty() ? "no read is wrong by itself" : "some reads are wrong by themselves"};
  }

  const History& history_;
  CheckOptions options_;
  Budget unlimited_ = Budget::unlimited();
  Budget& budget_;
  std::uint64_t effort_before_ = budget_.effort();
  Trail trail_;
  std::string_view engine_of_search_;  // Where an order has to be searched for.
  std::optional<Relations> relations_;
  std::unique_ptr<CertifiedHistory> certified_;
  std::optional<bool> contradicts_snapshots_;
  bool replay_fails_ = false;  // The expected order is no serial one.
  bool knows_values_ = false;  // Writes of unknown values explain nothing here.
  std::optional<UnknownWrites> unknown_writes_;
  std::unique_ptr<Variant> without_uncertain_;
  std::optional<std::vector<KeyId>> renewed_;
  std::unique_ptr<Variant> without_renewed_;
  std::vector<std::unique_ptr<Variant>> variants_;  // By guess.
};

bool is_refuted_by_certificate(const CheckResult& result) {
  return violated(result.verdict) &&
         std::ranges::any_of(std::get<Violated>(result.verdict).anomalies, rests_on_certificate);
}

// A certificate may contradict the snapshots of a history that some order explains: serializable holds, and
// snapshot isolation, which makes a claim about snapshots that serializable does not make, is violated.
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

// Decides a level that its own engine leaves open by what is known of others.
class Conclusion {
 public:
  Conclusion(const History& history, Judge& judge, CheckResult& result)
      : history_(history), refutes_(history), judge_(judge), result_(result) {}

  void draw() {
    const auto levels = all_levels();
    // The weakest first: where one is violated, so are those above it.
    for (const LevelInfo& info : levels)
      if (implies(info.level, result_.level) && ask(info.level)) return;
    for (auto info = levels.rbegin(); info != levels.rend(); ++info)
      if (implies(result_.level, info->level) && ask(info->level)) return;
  }

 private:
  // Whether that settled it.
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

  // Of a weaker level that another violation refutes.
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
    if (other.without_certificate)
      result_.without_certificate = judge_.ask_without_certificate(result_.level);
    return true;
  }

  const History& history_;
  Refutations refutes_;
  Judge& judge_;
  CheckResult& result_;
  std::vector<CheckResult> others_;
};

// Of a level that certificates say nothing about: what the reads refute, no certificate mends.
void ask_reads(Judge& judge, CheckResult& result) {
  CheckResult other = judge.judge_without_certificate(result.level);
  other.phases.insert(other.phases.begin(), result.phases.begin(), result.phases.end());
  if (violated(other.verdict))
    result = std::move(other);
  else if (holds(other.verdict))
    std::get<Undecided>(result.verdict)
        .details.push_back("by the reads alone, without the certificate, it holds");
}

}  // namespace

std::uint64_t effort_of_second_opinion(std::uint64_t effort_of_first) {
  constexpr std::uint64_t kLeast = 50'000'000;
  return std::max(kLeast, 2 * effort_of_first);
}

CheckResult check(const History& history, Level level, const CheckOptions& options) {
  Judge judge(history, options);
  CheckResult result = judge.judge(level);
  const bool may_follow = undecided(result.verdict) && !ran_out(result) && options.engine == Engine::Auto;
  if (may_follow) Conclusion(history, judge, result).draw();
  if (may_follow && undecided(result.verdict) && result.engine == "certificate") ask_reads(judge, result);
  return result;
}

Survey survey(const History& history, const CheckOptions& options) {
  Survey survey;
  Judge judge(history, options);
  const Refutations refutes(history);
  const auto visit = [&](Level level) {
    const bool settled = std::ranges::any_of(survey.results, [&](const CheckResult& r) {
      return proves(r, level) || refutes(r, level) || ran_out(r);
    });
    // Without times the strong levels can only be refuted, by what refutes their strong-session variants.
    if (settled || !can_show(history, level)) return;
    survey.results.push_back(judge.judge(level));
    CheckResult& result = survey.results.back();
    if (options.engine == Engine::Auto && undecided(result.verdict) && !ran_out(result) &&
        result.engine == "certificate")
      ask_reads(judge, result);
  };
  if (!can_show(history, survey.top)) survey.top = Level::StrongSessionSerializable;
  for (const Level level : kGraphLevels) visit(level);
  visit(Level::Causal);  // Implies most of those below.
  // The weak levels, weakest first: a read that one forbids refutes whatever implies it.
  for (const LevelInfo& info : all_levels()) visit(info.level);
  draw_conclusions(survey, refutes);
  return survey;
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
