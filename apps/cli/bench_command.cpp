// serval bench: reproduces experiments from papers and prints the papers' numbers beside its own.

#include <array>
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
#include "sweep.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

// Empty: the default of the experiment.
struct BenchFlags {
  std::string name;
  std::string transactions, sessions, keys, operations, seed, timeout;
  std::vector<std::string> parameters;
  std::string plot, csv;
  bool json = false, full = false;
};

// Options that all experiments have.
template <class Options>
void apply(const BenchFlags& flags, Options& options) {
  if (!flags.transactions.empty()) options.transactions = parse_count("--txns", flags.transactions);
  if (!flags.sessions.empty()) {
    const std::uint64_t sessions = parse_count("--sessions", flags.sessions);
    if (sessions == 0 || sessions > 10'000) throw UsageError("--sessions takes 1 to 10k");
    options.sessions = static_cast<std::uint32_t>(sessions);
  }
  if (!flags.keys.empty()) options.keys = parse_count("--keys", flags.keys);
  if (!flags.operations.empty()) options.operations = parse_count("--operations", flags.operations);
  if (!flags.seed.empty()) options.seed = parse_count("--seed", flags.seed);
  if (!flags.timeout.empty()) options.timeout = parse_duration("--timeout", flags.timeout);
}

void write_result(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  ByteSink sink = ByteSink::create(path);
  sink.write(text);
  sink.finish();
}

void stop_on_signal() {
  if (caught_signal() != 0) throw BudgetExhausted(BudgetExhausted::Cause::Stopped, "bench");
}

template <class Cell>
int code_of(const std::vector<Cell>& cells) {
  int code = kHolds;
  for (const Cell& cell : cells)
    if (cell.verdict != "valid") code = worse(code, cell.verdict == "violation" ? kViolated : kUndecided);
  return code;
}

// Its default size is that of the paper.
int bench_king_cobra(const BenchFlags& flags) {
  if (!flags.parameters.empty()) throw UsageError("king-cobra has no --parameter", "serval bench sweep");
  KingCobraOptions options;
  apply(flags, options);
  const KingCobraReport report = run_king_cobra(options, [](const KingCobraCell& cell) {
    stop_on_signal();
    note(fmt::format("{}, {}, {:.0f} % of the versions: {} in {:.3f} s", cell.workload,
                     cell.session_order == SessionOrder::Kept ? "sessions" : "no sessions",
                     100 * cell.versions, cell.verdict, cell.seconds));
  });
  write_result(flags.plot, plot_of(report));
  write_result(flags.csv, csv_of(report));
  print(flags.json ? json_of(report) : text_of(report));
  return worse(code_of(report.ablation), code_of(report.partial));
}

int bench_sweep(const BenchFlags& flags) {
  if (!flags.plot.empty()) throw UsageError("sweep has no --plot", "--csv FILE");
  SweepOptions options = flags.full ? full_sweep() : short_sweep();
  apply(flags, options);
  if (!flags.parameters.empty()) {
    const std::vector<std::string_view> names = swept_parameters();
    options.parameters.clear();
    for (const std::string& word : flags.parameters)
      options.parameters.push_back(names[choose("--parameter", word, names)]);
  }
  const SweepReport report = run_sweep(options, [](const SweepCell& cell) {
    stop_on_signal();
    note(fmt::format("{} {}, {}, {}: {} in {:.3f} s", cell.parameter, cell.value, cell.workload,
                     name_of(cell.level), cell.verdict, cell.seconds));
  });
  write_result(flags.csv, csv_of(report));
  print(flags.json ? json_of(report) : text_of(report));
  return code_of(report.cells);
}

struct Experiment {
  std::string_view name, summary;
  int (*run)(const BenchFlags& flags);
};
constexpr std::array<Experiment, 2> kExperiments{
    {{"king-cobra", "ablation of session order and version order (Emme, Enne and King Cobra, section 8.4)",
      bench_king_cobra},
     {"sweep", "one parameter after another: distribution, keys, operations, sessions (MTC, section V)",
      bench_sweep}}};

void list_experiments() {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(kExperiments.size());
  for (const Experiment& experiment : kExperiments)
    rows.push_back({std::string(experiment.name), std::string(experiment.summary)});
  print(aligned(rows));
}

int bench(const BenchFlags& flags) {
  std::vector<std::string_view> names;
  names.reserve(kExperiments.size());
  for (const Experiment& experiment : kExperiments) names.push_back(experiment.name);
  if (flags.name.empty()) {
    list_experiments();
    return kHolds;
  }
  const Experiment& experiment = kExperiments[choose("bench", flags.name, names)];
  catch_signals();
  try {
    return experiment.run(flags);
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
  arguments.option("-n,--txns", flags->transactions,
                   "Transactions per history (king-cobra: that commit) [10k; sweep --full 100k]", "N");
  arguments.option("--sessions", flags->sessions, "Sessions [20]", "N");
  arguments.option("--keys", flags->keys, "Keys [1000]", "N");
  arguments.option("--operations", flags->operations, "Operations per transaction [8]", "N");
  arguments.option("--seed", flags->seed, "Seed; the same seed gives the same histories [1]", "N");
  arguments.option("--timeout", flags->timeout,
                   "Time limit per check [king-cobra 5m, as in the paper; sweep 1m]", "TIME");
  arguments.option("--parameter", flags->parameters, "sweep: only this parameter; repeatable [all]", "NAME");
  arguments.flag("--full", flags->full, "sweep: wider ranges and longer histories; takes minutes");
  arguments.option("--csv", flags->csv, "Also write the results to FILE, as CSV", "FILE");
  arguments.option("--plot", flags->plot, "king-cobra: draw both figures into FILE, as SVG", "FILE");
  arguments.flag("--json", flags->json, "One JSON object instead of tables");
  return [flags] { return bench(*flags); };
}

}  // namespace serval::cli
