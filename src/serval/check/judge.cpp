#include "serval/check/judge.h"

#include <algorithm>
#include <chrono>
#include <new>

#include <fmt/format.h>

#include "serval/check/certificate/certificate_check.h"
#include "serval/check/check.h"
#include "serval/check/dependency/dependency_levels.h"
#include "serval/check/dependency/single_anti_dependency.h"
#include "serval/check/found_anomalies.h"
#include "serval/check/lightweight/lightweight.h"
#include "serval/check/new_rows.h"
#include "serval/check/replay/check_by_replay.h"
#include "serval/check/replay/serial_order_search.h"
#include "serval/check/saturation/saturation.h"

namespace serval {
namespace {

// The weakest graph level that implies `level`, if there is one.
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

// Keeps the part of a violation of a stronger level that also refutes this one. Without predicate
// operations, repeatable read forbids the same cycles as serializable; for other levels, only cycles
// without anti-dependencies are certain.
void keep_certain(Level level, Violated& violation) {
  if (level == Level::RepeatableRead) return;
  const auto allowed = [level](AnomalyKind kind) {
    return !forbids(level, kind) ||
           (kind != AnomalyKind::DirtyWrite && kind != AnomalyKind::CyclicInformationFlow);
  };
  std::erase_if(violation.anomalies, [&](const Anomaly& anomaly) { return allowed(anomaly.kind); });
  std::erase_if(violation.counts, [&](const auto& counted) { return allowed(counted.first); });
}

}  // namespace

Judge::Judge(const History& history, const CheckOptions& options, std::shared_ptr<Inferred> inferred)
    : history_(history),
      options_(options),
      budget_(options.budget != nullptr ? *options.budget : unlimited_),
      inferred_(std::move(inferred)) {}

Judge::Variant::Variant(History changed, std::vector<TakenWrite> reads, const CheckOptions& options)
    : history(std::move(changed)),
      taken(std::move(reads)),
      judge(std::make_unique<Judge>(history, options, std::make_shared<Inferred>())) {
  judge->knows_values_ = true;
}

template <class Step>
void Judge::timed(CheckResult& result, std::string_view phase, Step&& step) const {
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

CheckResult Judge::judge(Level level) {
  CheckResult result{
      .level = level, .verdict = Undecided{}, .engine = "read-anomalies", .complete = false, .phases = {}};
  try {
    if (!knows_values_ && !inferred_->unknown_writes) inferred_->unknown_writes.emplace(history_, budget_);
    if (!knows_values_ && inferred_->unknown_writes->any())
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

const Relations& Judge::relations() {
  if (!inferred_->relations) {
    Relations relations = infer_relations(history_, budget_);
    add_version_hints(history_, options_.hints, relations, budget_);
    inferred_->relations = std::move(relations);  // Only if complete: another budget may retry.
  }
  return *inferred_->relations;
}

CheckResult::OtherOrders Judge::ask_other_orders(Level level) {
  using Answer = CheckResult::OtherOrders::Answer;
  CheckOptions options = options_;
  options.use_certificate = false;
  options.expected_order = {};
  const CheckResult other = ask_again(level, options);
  if (holds(other.verdict)) return {Answer::SomeOrderExists, {}};
  if (violated(other.verdict)) return {Answer::NoOrderExists, {}};
  return {Answer::NotKnown, std::get<Undecided>(other.verdict).reason};
}

CheckResult Judge::judge_without_certificate(Level level) {
  CheckOptions options = options_;
  options.use_certificate = false;
  return ask_again(level, options);
}

CheckResult Judge::ask_again(Level level, CheckOptions options) {
  Budget budget = budget_.with_effort(effort_of_second_opinion(budget_.effort() - effort_before_));
  options.budget = &budget;
  options.engine = Engine::Auto;
  return Judge(history_, options, inferred_).judge(level);
}

// The values of some writes were not recorded. The level is refuted if it is violated even without the
// reads that these writes may explain, and proven if it holds for some values that they may have
// written.
CheckResult Judge::judge_unknown(Level level) {
  if (!without_uncertain_)
    without_uncertain_ = std::make_unique<Variant>(inferred_->unknown_writes->without_uncertain_reads(),
                                                   std::vector<TakenWrite>{}, options_);
  CheckResult result = without_uncertain_->judge->judge(level);
  if (result.without_expected_order) result.without_expected_order = ask_other_orders(level);
  if (violated(result.verdict) || ran_out(result)) return result;
  for (std::size_t i = 0; i < inferred_->unknown_writes->guess_count(); ++i) {
    result = variant(i).judge->judge(level);
    if (Holds* found = std::get_if<Holds>(&result.verdict)) found->taken_writes = variant(i).taken;
    if (holds(result.verdict) || ran_out(result)) return result;
  }
  result.verdict = unknown_values(result.verdict);
  return result;
}

Judge::Variant& Judge::variant(std::size_t number) {
  if (number >= variants_.size()) {
    std::vector<TakenWrite> taken = inferred_->unknown_writes->guess(number);
    History changed = inferred_->unknown_writes->with_values(taken);
    variants_.push_back(std::make_unique<Variant>(std::move(changed), std::move(taken), options_));
  }
  return *variants_[number];
}

Undecided Judge::unknown_values(const Verdict& last) const {
  if (const auto* open = std::get_if<Undecided>(&last); open != nullptr) {
    Undecided said = *open;
    said.details.push_back(describe_unknown_writes(history_, inferred_->unknown_writes->writes()));
    return said;
  }
  return {Undecided::Cause::Precondition,
          "the values of some writes were not recorded, and no values were found that explain the reads",
          {describe_unknown_writes(history_, inferred_->unknown_writes->writes()),
           "no violation without the reads that they may explain"}};
}

void Judge::judge_known(Level level, CheckResult& result) {
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
  const bool may_be_certain = result.engine == "certificate" || result.without_expected_order.has_value();
  if (violated(result.verdict) && !may_be_certain && tells_new_rows_apart(level))
    tell_new_rows_apart(level, result);
}

// Discards a violation that exists only if an inserted row is the same object as the one deleted before
// (see new_rows.h).
void Judge::tell_new_rows_apart(Level level, CheckResult& result) {
  if (!inferred_->renewed_keys) inferred_->renewed_keys = renewed_keys(history_);
  const std::vector<KeyId>& renewed = *inferred_->renewed_keys;
  if (renewed.empty()) return;
  if (!without_renewed_) {
    CheckOptions options = options_;
    options.use_certificate = false;  // It would miss these keys in the results of predicates.
    without_renewed_ =
        std::make_unique<Variant>(without_keys(history_, renewed), std::vector<TakenWrite>{}, options);
  }
  CheckResult other = without_renewed_->judge->judge(level);
  // A read that is wrong for every object is a violation in any case. But an insert that finds no row
  // where there was one before creates another object.
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
      "it depends on whether a row inserted after a delete is a different object from the deleted one",
      {fmt::format("deleted and inserted again: {}{}", history_.format_key(renewed.front()),
                   renewed.size() == 1 ? "" : fmt::format(", and {} more keys", renewed.size() - 1)),
       "no violation without these keys; a version certificate distinguishes the rows"}};
}

// A required order is a gate. If it passes, what else the history shows still counts; if it leaves the
// level open, every order may be refuted.
void Judge::decide_with_order(Level level, CheckResult& result) {
  timed(result, "replay", [&] { result.verdict = check_by_replay(history_, level, options_, budget_); });
  result.engine = "replay";
  result.replayed = true;
  if (violated(result.verdict)) result.without_expected_order = ask_other_orders(level);
  if (violated(result.verdict) || options_.engine == Engine::Replay) return;
  const bool uses_certificate = options_.use_certificate && !history_.certificate().empty();
  const bool has_assumptions = !options_.hints.assumptions.empty();
  const bool passes = holds(result.verdict);
  if (passes && options_.engine == Engine::Auto && !uses_certificate && !has_assumptions) return;
  CheckOptions options = options_;
  options.expected_order = {};
  CheckResult other =
      passes ? Judge(history_, options, inferred_).judge(level) : ask_again(level, std::move(options));
  if (holds(other.verdict) && !passes)
    std::get<Undecided>(result.verdict).details.emplace_back("some other order explains what clients saw");
  if (!violated(other.verdict) && !(passes && has_assumptions)) return;
  other.phases.insert(other.phases.begin(), result.phases.begin(), result.phases.end());
  result = std::move(other);
}

void Judge::decide(Level level, CheckResult& result) {
  if (requires_order(level, options_)) return decide_with_order(level, result);
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
    open->details.push_back("the certificate does not decide it: " + certified_->problem());
}

void Judge::read_certificate() {
  if (!inferred_->certified) inferred_->certified = std::make_unique<CertifiedHistory>(history_, budget_);
  certified_ = inferred_->certified.get();
}

void Judge::decide_by_certificate(Level level, CheckResult& result) {
  result.engine = engine_of_search_ = "certificate";
  const std::optional<Level> judged =
      decides_by_certificate(level) ? std::optional(level) : weakest_graph_level_above(level);
  if (!judged || !decides_by_certificate(*judged)) {
    result.verdict = no_engine("certificates do not cover " + std::string(name_of(level)));
    return;
  }
  timed(result, "check",
        [&] { result.verdict = check_certificate(*certified_, *judged, options_, trail_, budget_); });
  if (!violated(result.verdict)) return;
  if (*judged != level) {
    result.verdict = no_engine(std::string(name_of(*judged)) + ", which would imply it, is violated");
    return;
  }
  result.without_certificate = ask_other_orders(level);
}

void Judge::decide_by_reads(Level level, CheckResult& result) {
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

// An expected order that passes is a proof. One that fails proves nothing about other orders, so the
// search continues.
bool Judge::decide_by_replay(Level level, CheckResult& result) {
  const bool asked = options_.engine == Engine::Replay;
  // An order that passes need not satisfy the assumptions.
  const bool tries = options_.engine == Engine::Auto && options_.hints.assumptions.empty() &&
                     (!replay_fails_ || suggests_snapshots(history_, level, options_)) &&
                     level != Level::Linearizable && proves_by_replay(level) &&
                     suggests_replay(history_, options_);
  if (!asked && !tries) return false;
  timed(result, "replay", [&] { result.verdict = check_by_replay(history_, level, options_, budget_); });
  // At levels with session order or real time, these may be the only reason for the failure.
  replay_fails_ = !holds(result.verdict) && !uses_session_order(level) && !uses_real_time(level);
  const auto* open = std::get_if<Undecided>(&result.verdict);
  if (open != nullptr && options_.expected_order.role == ExpectedOrderChoice::Role::Required)
    result.failed_order = open->reason;
  if (!asked && open != nullptr) return false;
  result.engine = "replay";
  result.replayed = true;
  return true;
}

// For predicates without a certificate: tries orders suggested by reads and times, and replays them.
void Judge::search_serial_order(Level level, CheckResult& result) {
  if (std::ranges::none_of(history_.kind_column(), is_predicate)) return;
  if (!options_.hints.assumptions.empty() || !proves_by_replay(level) || level == Level::Linearizable) return;
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

void Judge::decide_lightweight(Level level, CheckResult& result) {
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

// For a level without its own search: refuted by a read that it forbids, proven by a stronger level that
// holds.
void Judge::decide_by_neighbours(Level level, CheckResult& result) {
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

bool Judge::contradicts_snapshots() {
  if (!certified_ || !certified_->problem().empty()) return false;
  if (!contradicts_snapshots_) contradicts_snapshots_ = !certified_->reads().snapshot_faults(budget_).empty();
  return *contradicts_snapshots_;
}

std::vector<std::string> Judge::proven_so_far() const {
  if (!inferred_->relations) return {"nothing was proven yet"};
  return {inferred_->relations->faults.empty() ? "no read is wrong by itself"
                                               : "some reads are wrong by themselves"};
}

}  // namespace serval
