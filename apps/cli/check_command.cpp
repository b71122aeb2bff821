// serval check: reads, checks and reports the files in order, each with its own budget.

#include "check_command.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "assumptions.h"
#include "choices.h"
#include "exit_code.h"
#include "expected_order.h"
#include "failure.h"
#include "interruption.h"
#include "memory_limit.h"
#include "mirror_check.h"
#include "model_check.h"
#include "model_flags.h"
#include "output.h"
#include "predicate_oracle.h"
#include "progress.h"
#include "quantities.h"
#include "reading.h"
#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/check/check.h"
#include "serval/report/json_report.h"
#include "serval/report/quantity.h"
#include "serval/report/text_report.h"
#include "serval/verify/verify_witness.h"
#include "verb.h"
#include "verb_limits.h"
#include "writing.h"

namespace serval::cli {
namespace {

constexpr std::string_view kAnyLevel = "any";  // A survey, whatever the recording promises.

// The parsed flags.
struct CheckPlan {
  std::optional<Level> level;
  bool surveys = false;
  std::optional<Model> model;
  bool mirrors = false;
  std::chrono::nanoseconds timeout;
  std::uint64_t memory_limit = 0;
  std::size_t max_anomalies = 10;
  Engine engine = Engine::Auto;
  Assumptions assumptions;
  std::vector<PlaceOfTransaction> transaction_order;
  PredicateOracle oracle = PredicateOracle::Interpreter;
  bool unknown_passes = false;
  ProgressMode progress = ProgressMode::Auto;
  TextOptions text;
};

// None for the mirror, which check() does not run.
std::optional<Engine> choose_engine(std::string_view word) {
  static constexpr std::array<std::string_view, 7> kNames{
      "auto", "mini-transaction", "lightweight-transaction", "polygraph", "replay", "certificate", "mirror"};
  static constexpr std::array<std::optional<Engine>, 7> kEngines{
      Engine::Auto,      Engine::MiniTransaction, Engine::LightweightTransaction,
      Engine::Polygraph, Engine::Replay,          Engine::Certificate,
      std::nullopt};
  return kEngines[choose("--engine", word, kNames)];
}

CheckPlan plan_of(const CheckFlags& flags) {
  static constexpr std::array<std::string_view, 2> kUnknownWords{"fail", "pass"};
  require_valid(flags.reading);
  CheckPlan plan;
  const std::optional<Engine> engine = choose_engine(flags.engine);
  plan.mirrors = !engine;
  plan.engine = engine.value_or(Engine::Auto);
  if (!flags.profile.empty() && !plan.mirrors) throw UsageError("--profile needs --engine mirror");
  if (!flags.threads.empty() && !plan.mirrors) throw UsageError("--threads needs --engine mirror");
  if (!flags.profile.empty()) online::choose_profile({.name = flags.profile}, {});
  if (flags.no_certificate && plan.engine == Engine::Certificate)
    throw UsageError("--no-certificate contradicts --engine certificate");
  plan.surveys = flags.level == kAnyLevel;
  if (!flags.level.empty() && !plan.surveys) plan.level = choose_level(flags.level);
  plan.model = choose_model(flags.model);
  if (plan.model && (!flags.level.empty() || plan.mirrors || plan.engine != Engine::Auto))
    throw UsageError("--model cannot be combined with --level or --engine",
                     "a model replaces the level (serval models)");
  plan.oracle = choose_oracle(flags.oracle);
  require_oracle(plan.oracle);
  if (plan.oracle == PredicateOracle::Database && (plan.model || plan.mirrors))
    throw UsageError("--oracle database cannot be combined with --model or --engine mirror");
  for (const std::string& name : flags.assumptions) plan.assumptions.add(choose_assumption(name));
  plan.transaction_order = parse_transaction_order(flags.transaction_order);
  if (!plan.transaction_order.empty()) plan.assumptions.add(OrderBasis::CommitOrder);
  plan.timeout = parse_duration("--timeout", flags.timeout);
  plan.memory_limit = memory_limit_of(flags.memory_limit);
  if (!flags.max_anomalies.empty()) plan.max_anomalies = parse_count("--max-anomalies", flags.max_anomalies);
  if (plan.max_anomalies == 0) throw UsageError("--max-anomalies must be at least 1");
  plan.unknown_passes = choose("--unknown", flags.unknown, kUnknownWords) == 1;
  plan.progress = choose_progress(flags.reading.progress);
  plan.text = {.colour = wants_colour(choose_colour(flags.colour)),
               .brief = flags.quiet,
               .detailed = flags.verbose,
               .most_of_survey = flags.max_anomalies.empty() ? 1 : plan.max_anomalies,
               .explains_engine = flags.explain_engine,
               .width = page_width()};
  return plan;
}

// One file: owns what the report points to.
class FileCheck {
 public:
  FileCheck(const CheckFlags& flags, const CheckPlan& plan, std::string path)
      : flags_(flags),
        plan_(plan),
        progress_(plan.progress, path),
        start_(Budget::Clock::now()),
        budget_(interruptible().within(start_ + plan.timeout)) {
    report_.version = SERVAL_VERSION;
    report_.path = std::move(path);
    if (plan.level) report_.gate = Gate{*plan.level};
    report_.run = flags.run;
    report_.max_findings = plan.max_anomalies;
    report_.result.level = plan.level.value_or(Level::ReadUncommitted);
    report_.budget.timeout_seconds = std::chrono::duration<double>(plan.timeout).count();
    report_.budget.memory_limit_bytes = plan.memory_limit;
  }

  // Returns the exit code. `so_far` is the exit code of the files before.
  int run(int so_far) {
    Deadline deadline(plan_.timeout, last_words(), worse(so_far, exit_code_of_unknown()));
    MemoryLimit memory(plan_.memory_limit);
    try {
      read();
      cross_check_predicates();
      decide();
      verify();
      hint_at_model();
      deadline.disarm();
      look_at_other_levels(so_far);
    } catch (const BudgetExhausted& exhausted) {
      phase_ = exhausted.phase();
      stop(exhausted.cause() == BudgetExhausted::Cause::TimeBudget ? Undecided::Cause::TimeBudget
                                                                   : Undecided::Cause::Stopped);
    } catch (const std::bad_alloc&) {
      memory.lift();
      stop(Undecided::Cause::MemoryBudget);
    }
    memory.lift();
    deadline.disarm();
    name_the_limit();
    return publish();
  }

 private:
  void enter(const char* phase) {
    phase_ = phase;
    progress_.phase(phase);
    budget_.look(phase);
  }

  void read() {
    enter("read");
    loaded_ = load_or_hint();
    report_.history = &loaded_.history;
    report_.format = loaded_.format;
    report_.notices = loaded_.notices;
    if (loaded_.has_positions) report_.clock = Clock::FilePositions;
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

  // Before the verdict, which must not rest on a wrong evaluation.
  void cross_check_predicates() {
    if (plan_.oracle != PredicateOracle::Database) return;
    enter("oracle");
    report_.notices.push_back(ask_database(loaded_.history, budget_));
  }

  // A file of operations that are not transactions may fit a model.
  LoadedHistory load_or_hint() {
    try {
      return load_history(report_.path, flags_.reading, &budget_, progress_);
    } catch (const InputError& error) {
      const std::string hint = model_hint_for(report_.path, flags_.reading, budget_).words;
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
    const ModelHint hint = model_hint_for(report_.path, flags_.reading, budget_);
    report_.model_hint = hint.words;
    report_.model = hint.model;
  }

  void decide() {
    enter("check");
    hints_ = {plan_.assumptions, places_of(loaded_.history, plan_.transaction_order)};
    const CheckOptions options{
        .max_anomalies = plan_.max_anomalies,
        .engine = plan_.engine,
        .budget = &budget_,
        .hints = hints_,
        .expected_order = choose_expected_order(flags_.expected_order, loaded_.history, budget_),
        .use_certificate = !flags_.no_certificate};
    const std::uint64_t effort_before = budget_.effort();
    if (report_.gate)
      report_.result = check(loaded_.history, report_.gate->level, options);
    else
      settle(survey(loaded_.history, options));
    effort_ = budget_.effort() - effort_before;
    decided_ = true;
    refuse_vacuous();
    report_.result.phases.insert(report_.result.phases.begin(), {"read", read_seconds_});
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
    if (!flags_.verify) return;
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

  // After a violation, also finds out which other levels hold. This must not endanger the verdict or take
  // much more effort than it did. If the time runs out, the report omits it.
  void look_at_other_levels(int so_far) {
    if (!report_.gate || !violated(report_.result.verdict) || is_brief()) return;
    phase_ = "other levels";
    const std::chrono::duration<double> left{std::chrono::duration<double>(plan_.timeout).count() -
                                             seconds()};
    const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(left);
    report_.exit_code = exit_code();
    report_.budget.seconds = seconds();
    Deadline deadline(std::max(limit, std::chrono::nanoseconds{1}), rendered(), worse(so_far, exit_code()));
    const Budget until = interruptible().within(Budget::Clock::now() + limit);
    Budget budget = until.with_effort(effort_of_second_opinion(effort_));
    report_.survey = survey(
        loaded_.history,
        {.max_anomalies = 1, .budget = &budget, .hints = hints_, .use_certificate = !flags_.no_certificate});
  }

  void stop(Undecided::Cause cause) {
    if (decided_ && report_.verification == Verification::Passed) return;
    if (decided_ && !flags_.verify) return;
    report_.result.verdict = Undecided{cause, "stopped", {}, phase_};
    report_.result.complete = false;
  }

  // Replaces the reason of an exhausted budget with one that names the limit.
  void name_the_limit() {
    auto* why = std::get_if<Undecided>(&report_.result.verdict);
    if (why == nullptr) return;
    if (why->cause == Undecided::Cause::Stopped && caught_signal() == 0)
      why->cause = Undecided::Cause::TimeBudget;
    if (why->phase.empty()) return;
    const std::string phase = fmt::format("in phase \"{}\"", why->phase);
    if (why->cause == Undecided::Cause::TimeBudget)
      why->reason = fmt::format("time budget of {} used up {}", flags_.timeout, phase);
    if (why->cause == Undecided::Cause::MemoryBudget)
      why->reason = fmt::format("memory budget of {} used up {}", format_bytes(plan_.memory_limit), phase);
    if (why->cause == Undecided::Cause::Stopped) why->reason = fmt::format("stopped by a signal {}", phase);
  }

  double seconds() const { return std::chrono::duration<double>(Budget::Clock::now() - start_).count(); }

  int unknown_exit_code() const { return plan_.unknown_passes ? kHolds : kUndecided; }

  int exit_code_of_unknown() const { return worse(unknown_exit_code(), run_exit_code()); }

  // From the findings of the run, independent of its recording.
  int run_exit_code() const {
    if (!flags_.run) return kHolds;
    return shows_violation(flags_.run) ? static_cast<int>(kViolated) : flags_.run->exit_code;
  }

  int exit_code() const { return worse(level_exit_code(), run_exit_code()); }

  int level_exit_code() const {
    const Verdict& verdict = report_.result.verdict;
    if (violated(verdict)) return kViolated;
    if (caught_signal() != 0) return 128 + caught_signal();
    return holds(verdict) ? static_cast<int>(kHolds) : unknown_exit_code();
  }

  std::string rendered() const {
    return flags_.json ? json_report(report_) + "\n" : text_report(report_, plan_.text);
  }

  std::string last_words() {
    Report words = report_;
    words.result.verdict =
        Undecided{Undecided::Cause::TimeBudget, fmt::format("time budget of {} used up", flags_.timeout), {}};
    words.exit_code = exit_code_of_unknown();
    words.budget.seconds = *words.budget.timeout_seconds;
    return flags_.json ? json_report(words) + "\n" : text_report(words, plan_.text);
  }

  // Only the first line is needed, here or in a file.
  bool is_brief() const { return flags_.quiet && flags_.report_folder.empty(); }

  // Both forms of the report, complete and without colour.
  void write_report_files() const {
    if (flags_.report_folder.empty()) return;
    TextOptions text = plan_.text;
    text.colour = false;
    text.brief = false;
    text.width = TextOptions{}.width;
    write_file(flags_.report_folder + "/report.txt", text_report(report_, text));
    write_file(flags_.report_folder + "/report.json", json_report(report_) + "\n");
  }

  int publish() {
    if (flags_.run && !flags_.run->found_on_the_way.empty() && holds(report_.result.verdict))
      throw BrokenContract("a violation was found during the run, but none in the whole recording");
    report_.exit_code = exit_code();
    report_.budget.seconds = seconds();
    report_.budget.peak_rss_bytes = peak_rss_bytes();
    progress_.clear();
    print(rendered());
    write_report_files();
    return report_.exit_code;
  }

  const CheckFlags& flags_;
  const CheckPlan& plan_;
  Progress progress_;
  Budget::Clock::time_point start_;
  Budget budget_;
  const char* phase_ = "read";
  double read_seconds_ = 0;
  bool decided_ = false;
  std::uint64_t effort_ = 0;  // Of the verdict.
  LoadedHistory loaded_;
  VersionHints hints_;
  Report report_;
};

ModelPlan model_plan(const CheckFlags& flags, const CheckPlan& plan) {
  ModelPlan out;
  out.model = *plan.model;
  out.options = model_options(flags.model);
  out.options.max_findings = plan.max_anomalies;
  out.reading = flags.reading;
  out.timeout = plan.timeout;
  out.timeout_text = flags.timeout;
  out.memory_limit = plan.memory_limit;
  out.json = flags.json;
  out.verify = flags.verify;
  out.unknown_passes = plan.unknown_passes;
  out.progress = plan.progress;
  out.text = plan.text;
  return out;
}

MirrorPlan mirror_plan(const CheckFlags& flags, const CheckPlan& plan) {
  MirrorPlan out;
  out.profile = {.name = flags.profile, .level = plan.level};
  out.reading = flags.reading;
  out.timeout = plan.timeout;
  out.timeout_text = flags.timeout;
  out.memory_limit = plan.memory_limit;
  out.most_violations = plan.max_anomalies;
  if (!flags.threads.empty()) out.threads = parse_threads(flags.threads);
  out.json = flags.json;
  out.quiet = flags.quiet;
  out.unknown_passes = plan.unknown_passes;
  out.progress = plan.progress;
  return out;
}

// An unreadable file must not prevent the others from being checked.
int check_one(const CheckFlags& flags, const CheckPlan& plan, const std::string& path, int so_far) {
  try {
    if (plan.mirrors) return check_file_by_mirror(mirror_plan(flags, plan), path);
    if (plan.model) return check_file_by_model(model_plan(flags, plan), path, so_far);
    return FileCheck(flags, plan, path).run(so_far);
  } catch (const OutputError&) {
    throw;  // Nothing can be printed any more.
  } catch (...) {
    const Failure failure = describe_current_exception();
    note(failure.drawing);
    if (flags.json) print(json_of_current_exception(path) + "\n");
    return failure.exit_code;
  }
}

}  // namespace

int check_files(const CheckFlags& flags) {
  const CheckPlan plan = plan_of(flags);
  catch_signals();
  int worst = kHolds;
  for (const std::string& path : flags.paths) {
    worst = worse(worst, check_one(flags, plan, path, worst));
    if (caught_signal() != 0) break;
  }
  return worst;
}

Action declare_check(Arguments& arguments) {
  auto flags = std::make_shared<CheckFlags>();
  arguments.words("FILE", flags->paths, "Histories; - is standard input");
  arguments.option(
      "-l,--level", flags->level,
      "Require this level (serval levels) [what the recording promises, else any: survey all levels]",
      "LEVEL");
  declare_model_flags(arguments, flags->model);
  declare_reading_flags(arguments, flags->reading);
  arguments.flag("--json", flags->json, "Print JSON instead of text, one object per line and file");
  arguments.option("--timeout", flags->timeout, "Time limit per file; beyond it UNKNOWN [10m]", "TIME");
  arguments.option("--memory-limit", flags->memory_limit,
                   "Memory limit; beyond it UNKNOWN [80 % of RAM or cgroup]", "SIZE");
  arguments.option("--engine", flags->engine, "Engine; auto picks the cheapest complete one [auto]", "NAME");
  arguments.option("--profile", flags->profile,
                   "For --engine mirror: database and isolation, such as postgres:serializable", "NAME");
  arguments.option("--threads", flags->threads, "For --engine mirror: partition the keys among N threads [1]",
                   "N");
  arguments.flag("--no-certificate", flags->no_certificate, "Ignore the version certificate of the history");
  arguments.flag("--explain-engine", flags->explain_engine,
                 "Also print the steps of the search and their durations");
  arguments.option("--assume", flags->assumptions,
                   "Assume a version order that the database guarantees (docs/assumptions.md); repeatable",
                   "NAME");
  arguments.option("--transaction-order", flags->transaction_order,
                   "Positions of transactions in the commit order, by id: 0=2,1=1", "T=N,...");
  arguments.option("--expected-order", flags->expected_order,
                   "The serial order to replay: by timestamps, by completion, or from a file [timestamps]",
                   "timestamps|completion|FILE");
  arguments.flag("--verify", flags->verify, "Verify the evidence independently, against the raw history");
  arguments.option(
      "--oracle", flags->oracle,
      "Evaluate predicates with the interpreter alone, or also with SQLite and require that both agree",
      "interpreter|database");
  arguments.option("--max-anomalies", flags->max_anomalies,
                   "Print at most N anomalies [10; for a survey 1, with -v or --json 10]; all are counted",
                   "N");
  arguments.option("--unknown", flags->unknown, "Exit code for UNKNOWN: fail is 2, pass is 0 [fail]",
                   "fail|pass");
  arguments.option("--color", flags->colour,
                   "When to use colour; auto obeys NO_COLOR and CLICOLOR_FORCE [auto]", "auto|always|never");
  arguments.flag("-q,--quiet", flags->quiet, "Print only the first line");
  arguments.flag("-v,--verbose", flags->verbose, "Also print the phases, and anomalies in full");
  return [flags] { return check_files(*flags); };
}

}  // namespace serval::cli
