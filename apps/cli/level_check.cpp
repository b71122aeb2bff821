#include "level_check.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "expected_order.h"
#include "interruption.h"
#include "model_check.h"
#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/check/check.h"
#include "serval/report/report.h"
#include "serval/verify/verify_witness.h"
#include "server_oracle.h"
#include "writing.h"

namespace serval::cli {
namespace {

// Owns what the report points to.
class LevelCheck final : public FileCheck {
 public:
  LevelCheck(const CheckPlan& plan, const std::string& path) : FileCheck(plan, path) {
    report_.version = SERVAL_VERSION;
    report_.path = path;
    if (plan.level) report_.gate = Gate{*plan.level};
    report_.run = plan.run;
    report_.max_findings = plan.max_anomalies;
    report_.result.level = plan.level.value_or(Level::ReadUncommitted);
    report_.budget.timeout_seconds = std::chrono::duration<double>(plan.timeout).count();
    report_.budget.memory_limit_bytes = plan.memory_limit;
  }

 private:
  void judge() override {
    read();
    if (!cross_check_predicates()) return;
    decide();
    verify();
    hint_at_model();
  }

  void read() {
    enter("read");
    loaded_ = load_or_hint();
    allow_for_clock_error(loaded_, path_, plan_.clock_error, Widening::History);
    report_.history = &loaded_.history;
    report_.format = loaded_.format;
    report_.notices = loaded_.notices;
    if (loaded_.has_positions)
      report_.clock = Clock::FilePositions;
    else if (!plan_.clock_error.text.empty())
      report_.clock = Clock::Widened;
    gate_at_promise();
    read_seconds_ = seconds();
  }

  // A recording states what the database promised; this is the default level.
  void gate_at_promise() {
    if (plan_.level || plan_.surveys) return;
    const auto promise = loaded_.history.facts().find("promises");
    if (promise == loaded_.history.facts().end()) return;
    if (const std::optional<Level> level = find_level(promise->second))
      report_.gate = Gate{*level, Gate::Origin::Promised};
    else
      report_.notices.push_back(
          fmt::format("the recording promises \"{}\", which is not a known level, so no level is required",
                      promise->second));
  }

  // Before the verdict, which must not rest on an evaluation that is wrong or not shared by the database.
  // Whether there may be a verdict.
  bool cross_check_predicates() {
    if (plan_.oracle == PredicateOracle::Interpreter) return true;
    enter("oracle");
    if (plan_.oracle == PredicateOracle::Database) {
      report_.notices.push_back(ask_database(loaded_.history, budget_));
      return true;
    }
    ServerOpinion opinion = ask_server(plan_.oracle_address, loaded_.history, budget_);
    if (opinion.disagreement.empty()) {
      report_.notices.push_back(std::move(opinion.note));
      return true;
    }
    report_.result.verdict =
        Undecided{Undecided::Cause::Precondition,
                  "the database evaluates a predicate differently than Serval",
                  {std::move(opinion.disagreement),
                   "a verdict would rest on evaluations that the database does not share"}};
    report_.result.complete = false;
    decided_ = true;
    return false;
  }

  // A file of operations that are not transactions may fit a model.
  LoadedHistory load_or_hint() {
    try {
      return load_history(report_.path, plan_.reading, &budget_, progress_);
    } catch (const InputError& error) {
      const std::string hint = model_hint_for(report_.path, plan_.reading, budget_).words;
      if (hint.empty()) throw;
      throw InputError(error.position(), error.problem(), error.source_line(), hint, error.caret());
    }
  }

  // Operations on single registers are transactions too, but a model may decide more. Reads the file
  // again, so only if it is small.
  void hint_at_model() {
    constexpr std::size_t kMostTransactions = 100'000;
    const History& history = loaded_.history;
    const bool single_operations = history.operation_count() <= history.transaction_count();
    if (!single_operations && !undecided(report_.result.verdict)) return;
    if (history.transaction_count() > kMostTransactions || is_brief()) return;
    phase_ = "model";
    const ModelHint hint = model_hint_for(report_.path, plan_.reading, budget_);
    report_.model_hint = hint.words;
    report_.model = hint.model;
  }

  void decide() {
    enter("check");
    hints_ = {plan_.assumptions, places_of(loaded_.history, plan_.transaction_order)};
    order_ = choose_expected_order(plan_.expected_order, loaded_.history, budget_);
    const CheckOptions options{.max_anomalies = plan_.max_anomalies,
                               .engine = plan_.engine,
                               .budget = &budget_,
                               .expected_order = order_,
                               .use_certificate = plan_.use_certificate};
    checker_.emplace(loaded_.history, hints_);
    const std::uint64_t effort_before = budget_.effort();
    if (report_.gate)
      report_.result = checker_->check(report_.gate->level, options);
    else
      settle(checker_->survey(options));
    effort_ = budget_.effort() - effort_before;
    decided_ = true;
    refuse_vacuous();
    suggest_initial_value();
    report_.result.phases.insert(report_.result.phases.begin(), {"read", read_seconds_});
  }

  // A history written by hand often lacks the value that keys hold before the first write.
  void suggest_initial_value() {
    const auto* found = std::get_if<Violated>(&report_.result.verdict);
    const History& history = loaded_.history;
    if (found == nullptr || !history.initial_value().is_nil()) return;
    std::set<Value> seen;
    for (const Anomaly& anomaly : found->anomalies)
      if (anomaly.kind == AnomalyKind::ThinAirRead)
        if (const auto* read = std::get_if<BadRead>(&anomaly.evidence))
          seen.insert(history.value(read->read));
    if (seen.size() != 1 || seen.begin()->is_list()) return;
    report_.notices.push_back(fmt::format(
        "the reads of values that no transaction wrote all returned {0}. If keys hold {0} before the first "
        "write, the file must say so: in jsonl, \"initial\":{0} in the header",
        history.format(*seen.begin())));
  }

  // An empty recording must not count as evidence that the level holds.
  void refuse_vacuous() {
    std::optional<Undecided> why = nothing_to_judge(loaded_.history);
    if (!why || violated(report_.result.verdict)) return;
    report_.result.verdict = std::move(*why);
    report_.result.complete = false;
    report_.result.engine = {};
    report_.survey.reset();
  }

  void settle(Survey all) {
    if (const CheckResult* headline = all.headline()) report_.result = *headline;
    report_.result.phases = all.phases();
    report_.survey = std::move(all);
  }

  void verify() {
    if (!plan_.verify) return;
    enter("verify");
    if (report_.survey)
      for (const CheckResult& result : report_.survey->results) verify(result);
    else
      verify(report_.result);
    if (!undecided(report_.result.verdict)) report_.verification = Verification::Passed;
  }
  void verify(const CheckResult& result) {
    const std::optional<std::string> flaw =
        verify_witness(loaded_.history, result.level, result.verdict, hints_.transaction_order);
    if (flaw) throw BrokenContract("the evidence does not hold: " + *flaw);
  }

  // To put a violation into context, surveys which levels do hold. This may cost at most a small
  // multiple of the verdict's effort, and must end within the user's time limit; otherwise the report
  // omits it.
  void look_further(int so_far) override {
    if (!report_.gate || !violated(report_.result.verdict) || is_brief()) return;
    phase_ = "other levels";
    const std::chrono::duration<double> left =
        std::chrono::duration<double>(plan_.timeout) - std::chrono::duration<double>(seconds());
    const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(left);
    finish({.exit_code = exit_code(), .seconds = seconds()});
    Deadline deadline(std::max(limit, std::chrono::nanoseconds{1}), rendered(), worse(so_far, exit_code()));
    const Budget until = interruptible().within(Budget::Clock::now() + limit);
    Budget budget = until.with_effort(effort_of_second_opinion(effort_));
    report_.survey = checker_->survey({.max_anomalies = 1,
                                       .budget = &budget,
                                       .expected_order = order_,
                                       .use_certificate = plan_.use_certificate});
  }

  void stop(Limit limit) override {
    if (decided_ && (!plan_.verify || report_.verification == Verification::Passed)) return;
    report_.result.verdict = Undecided{cause_of(limit), "stopped", {}, phase_};
    report_.result.complete = false;
  }

  static Undecided::Cause cause_of(Limit limit) {
    if (limit == Limit::Memory) return Undecided::Cause::MemoryBudget;
    return limit == Limit::Time ? Undecided::Cause::TimeBudget : Undecided::Cause::Stopped;
  }

  // Replaces the reason of an exhausted budget with one that names the limit.
  void name_the_limit() {
    auto* why = std::get_if<Undecided>(&report_.result.verdict);
    if (why == nullptr) return;
    if (why->cause == Undecided::Cause::Stopped && caught_signal() == 0)
      why->cause = Undecided::Cause::TimeBudget;
    if (why->phase.empty()) return;
    for (const Limit limit : {Limit::Time, Limit::Memory, Limit::Signal})
      if (why->cause == cause_of(limit))
        why->reason = fmt::format("{} in phase \"{}\"", words_of(limit), why->phase);
  }

  Answer answer() const override {
    if (violated(report_.result.verdict)) return Answer::Violated;
    return holds(report_.result.verdict) ? Answer::Holds : Answer::Open;
  }

  // From the findings of the run, independent of its recording.
  int other_exit_code() const override {
    if (!plan_.run) return kHolds;
    return shows_violation(plan_.run) ? static_cast<int>(kViolated) : plan_.run->exit_code;
  }

  void finish(const Ending& ending) override {
    if (plan_.run && !plan_.run->found_on_the_way.empty() && holds(report_.result.verdict))
      throw BrokenContract("a violation was found during the run, but none in the whole recording");
    name_the_limit();
    report_.exit_code = ending.exit_code;
    report_.budget.seconds = ending.seconds;
    report_.budget.peak_rss_bytes = ending.peak_rss_bytes;
  }

  std::string rendered() const override { return rendered(report_); }
  std::string rendered(const Report& report) const {
    return plan_.json ? json_report(report) + "\n" : text_report(report, plan_.text);
  }

  std::string last_words(const Ending& ending) const override {
    Report words = report_;
    words.result.verdict = Undecided{Undecided::Cause::TimeBudget, words_of(Limit::Time), {}};
    words.exit_code = ending.exit_code;
    words.budget.seconds = ending.seconds;
    return rendered(words);
  }

  // Only the first line is needed, here or in a file.
  bool is_brief() const { return plan_.text.brief && plan_.report_folder.empty(); }

  // Both forms of the report, complete and without colour.
  void write_files() const override {
    if (plan_.report_folder.empty()) return;
    TextOptions text = plan_.text;
    text.colour = false;
    text.brief = false;
    text.width = TextOptions{}.width;
    write_file(plan_.report_folder + "/report.txt", text_report(report_, text));
    write_file(plan_.report_folder + "/report.json", json_report(report_) + "\n");
  }

  double read_seconds_ = 0;
  bool decided_ = false;
  std::uint64_t effort_ = 0;  // Of the verdict.
  LoadedHistory loaded_;
  std::optional<Checker> checker_;
  VersionHints hints_;
  ExpectedOrderChoice order_;
  Report report_;
};

}  // namespace

std::unique_ptr<FileCheck> check_by_level(const CheckPlan& plan, const std::string& path) {
  return std::make_unique<LevelCheck>(plan, path);
}

}  // namespace serval::cli
