// serval bench: reproduces experiments from papers and prints the papers' numbers beside its own.

#include <memory>

#include <fmt/format.h>

#include "choices.h"
#include "exit_code.h"
#include "interruption.h"
#include "king_cobra.h"
#include "output.h"
#include "quantities.h"
#include "serval/base/budget.h"
#include "serval/base/byte_sink.h"
#include "serval/base/error.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

struct BenchFlags {
  std::string name;
  std::string transactions = "10k", sessions = "20", keys = "1000", operations = "8", seed = "1";
  std::string timeout = "5m";
  std::string plot;
  bool json = false;
};

struct Experiment {
  std::string_view name, summary;
};
constexpr std::array<Experiment, 1> kExperiments{
    {{"king-cobra", "ablation of session order and version order (Emme, Enne and King Cobra, section 8.4)"}}};

void list_experiments() {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(kExperiments.size());
  for (const Experiment& experiment : kExperiments)
    rows.push_back({std::string(experiment.name), std::string(experiment.summary)});
  print(aligned(rows));
}

KingCobraOptions options_of(const BenchFlags& flags) {
  KingCobraOptions options;
  options.transactions = parse_count("--txns", flags.transactions);
  const std::uint64_t sessions = parse_count("--sessions", flags.sessions);
  if (sessions == 0 || sessions > 10'000) throw UsageError("--sessions takes 1 to 10k");
  options.sessions = static_cast<std::uint32_t>(sessions);
  options.keys = parse_count("--keys", flags.keys);
  options.operations = parse_count("--operations", flags.operations);
  options.seed = parse_count("--seed", flags.seed);
  options.timeout = parse_duration("--timeout", flags.timeout);
  return options;
}

int code_of(const std::vector<KingCobraCell>& cells) {
  int code = kHolds;
  for (const KingCobraCell& cell : cells)
    if (cell.verdict != "valid") code = worse(code, cell.verdict == "violation" ? kViolated : kUndecided);
  return code;
}

int run_experiment(const BenchFlags& flags) {
  const KingCobraOptions options = options_of(flags);
  const KingCobraReport report = run_king_cobra(options, [](const KingCobraCell& cell) {
    if (caught_signal() != 0) throw BudgetExhausted(BudgetExhausted::Cause::Stopped, "bench");
    note(fmt::format("{}, {}, {:.0f} % of the versions: {} in {:.3f} s", cell.workload,
                     cell.session_order == SessionOrder::Kept ? "sessions" : "no sessions",
                     100 * cell.versions, cell.verdict, cell.seconds));
  });
  if (!flags.plot.empty()) {
    ByteSink sink = ByteSink::create(flags.plot);
    sink.write(plot_of(report));
    sink.finish();
  }
  print(flags.json ? json_of(report) : text_of(report));
  return worse(code_of(report.ablation), code_of(report.partial));
}

int bench(const BenchFlags& flags) {
  std::vector<std::string_view> names;
  names.reserve(kExperiments.size());
  for (const Experiment& experiment : kExperiments) names.push_back(experiment.name);
  if (flags.name.empty()) {
    list_experiments();
    return kHolds;
  }
  choose("bench", flags.name, names);
  catch_signals();
  try {
    return run_experiment(flags);
  } catch (const BudgetExhausted&) {
    return 128 + caught_signal();  // Every check has its own deadline, so only a signal can end up here.
  } catch (const InputError& error) {
    throw UsageError(fmt::format("{}: {}", error.position().file, error.problem()), error.hint());
  }
}

}  // namespace

Action declare_bench(Arguments& arguments) {
  auto flags = std::make_shared<BenchFlags>();
  arguments.optional_word("NAME", flags->name, "The experiment; without it, lists the experiments");
  arguments.option("-n,--txns", flags->transactions, "Committed transactions per history [10k]", "N");
  arguments.option("--sessions", flags->sessions, "Sessions [20]", "N");
  arguments.option("--keys", flags->keys, "Keys [1000]", "N");
  arguments.option("--operations", flags->operations, "Operations per transaction [8]", "N");
  arguments.option("--seed", flags->seed, "Seed; the same seed gives the same histories [1]", "N");
  arguments.option("--timeout", flags->timeout, "Time limit per check [5m, as in the paper]", "TIME");
  arguments.option("--plot", flags->plot, "Draw both figures into FILE, as SVG", "FILE");
  arguments.flag("--json", flags->json, "One JSON object instead of tables");
  return [flags] { return bench(*flags); };
}

}  // namespace serval::cli
