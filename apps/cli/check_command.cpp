// serval check: interprets the flags. check_plan.h does the rest.

#include <array>
#include <memory>

#include "check_plan.h"
#include "choices.h"
#include "model_flags.h"
#include "profile_choice.h"
#include "quantities.h"
#include "serval/base/error.h"
#include "server_oracle.h"
#include "verb.h"
#include "verb_limits.h"

namespace serval::cli {
namespace {

constexpr std::string_view kAnyLevel = "any";  // A survey, regardless of what the recording promises.

struct CheckFlags {
  std::vector<std::string> paths;
  std::string level;
  ModelFlags model;
  ReadingFlags reading;
  bool json = false;
  std::string timeout = "10m";
  std::string memory_limit;
  std::string engine = "auto";
  std::string profile;  // For the engine mirror.
  std::string threads;
  std::vector<std::string> assumptions;
  std::string transaction_order;
  std::string expected_order;  // Empty: none is required.
  std::string clock_error;
  bool verify = false;
  std::string oracle = "interpreter";  // Of predicates.
  ReportFlags report;
  bool verbose = false;
  bool explain_engine = false;
  bool no_certificate = false;
  std::string unknown = "fail";
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

// Chooses an engine, a model or the mirror.
void choose_judge(const CheckFlags& flags, CheckPlan& plan) {
  const std::optional<Engine> engine = choose_engine(flags.engine);
  plan.engine = engine.value_or(Engine::Auto);
  if (!engine) plan.mirror.emplace();
  if (!flags.profile.empty() && !plan.mirror) throw UsageError("--profile needs --engine mirror");
  if (!flags.threads.empty() && !plan.mirror) throw UsageError("--threads needs --engine mirror");
  if (flags.no_certificate && plan.engine == Engine::Certificate)
    throw UsageError("--no-certificate contradicts --engine certificate");
  plan.use_certificate = !flags.no_certificate;
  plan.surveys = flags.level == kAnyLevel;
  if (!flags.level.empty() && !plan.surveys) plan.level = choose_level(flags.level);
  if (plan.mirror) {
    plan.mirror->profile = read_profile_choice(flags.profile);
    plan.mirror->profile.level = plan.level;
  }
  if (!flags.threads.empty()) plan.mirror->threads = parse_threads(flags.threads);
  const std::optional<Model> model = choose_model(flags.model);
  if (model && (!flags.level.empty() || plan.mirror || plan.engine != Engine::Auto))
    throw UsageError("--model cannot be combined with --level or --engine",
                     "a model replaces the level (serval models)");
  if (model) plan.model = {*model, model_options(flags.model)};
}

CheckPlan plan_of(const CheckFlags& flags) {
  static constexpr std::array<std::string_view, 2> kUnknownWords{"fail", "pass"};
  require_valid(flags.reading);
  CheckPlan plan;
  plan.reading = flags.reading;
  choose_judge(flags, plan);
  plan.oracle = choose_oracle(flags.oracle);
  require_oracle(plan.oracle);
  if (plan.oracle == PredicateOracle::Server) require_server_oracle(plan.oracle_address = flags.oracle);
  if (plan.oracle != PredicateOracle::Interpreter && (plan.model || plan.mirror))
    throw UsageError("--oracle cannot be combined with --model or --engine mirror");
  if (!flags.expected_order.empty() && (plan.model || plan.mirror))
    throw UsageError("--expected-order cannot be combined with --model or --engine mirror");
  for (const std::string& name : flags.assumptions) plan.assumptions.add(choose_assumption(name));
  plan.transaction_order = parse_transaction_order(flags.transaction_order);
  if (!plan.transaction_order.empty()) plan.assumptions.add(OrderBasis::CommitOrder);
  plan.expected_order = flags.expected_order;
  if (!flags.clock_error.empty())
    plan.clock_error = {parse_duration("--clock-error", flags.clock_error), flags.clock_error};
  if (plan.model && !flags.clock_error.empty())
    throw UsageError("--clock-error cannot be combined with --model",
                     "models go by the order of the events in the file, not by times");
  plan.timeout = parse_duration("--timeout", flags.timeout);
  plan.timeout_text = flags.timeout;
  plan.memory_limit = memory_limit_of(flags.memory_limit);
  apply(flags.report, plan);
  plan.verify = flags.verify;
  plan.unknown_passes = choose("--unknown", flags.unknown, kUnknownWords) == 1;
  plan.progress = choose_progress(flags.reading.progress);
  plan.json = flags.json;
  plan.text.detailed = flags.verbose;
  plan.text.explains_engine = flags.explain_engine;
  return plan;
}

}  // namespace

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
                   "For --engine mirror: database and isolation, such as postgres:serializable, or a file",
                   "NAME|FILE");
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
                   "Require this serial order: by timestamps, by completion, or from a file",
                   "timestamps|completion|FILE");
  arguments.option("--clock-error", flags->clock_error,
                   "Maximum error of the clients' clocks: closer than that, times order nothing [0]", "TIME");
  arguments.flag("--verify", flags->verify, "Verify the evidence independently, against the raw history");
  arguments.option(
      "--oracle", flags->oracle,
      "Evaluate predicates with the interpreter alone, or also with SQLite or a server, which must agree",
      "interpreter|database|ADDRESS");
  arguments.option("--max-anomalies", flags->report.max_anomalies,
                   "Print at most N anomalies [10; for a survey 1, with -v or --json 10]; all are counted",
                   "N");
  arguments.option("--unknown", flags->unknown, "Exit code for UNKNOWN: fail is 2, pass is 0 [fail]",
                   "fail|pass");
  arguments.option("--color", flags->report.colour,
                   "When to use colour; auto obeys NO_COLOR and CLICOLOR_FORCE [auto]", "auto|always|never");
  arguments.flag("-q,--quiet", flags->report.quiet, "Print only the first line");
  arguments.flag("-v,--verbose", flags->verbose, "Also print the phases, and anomalies in full");
  return [flags] { return check_files(plan_of(*flags), flags->paths); };
}

}  // namespace serval::cli
