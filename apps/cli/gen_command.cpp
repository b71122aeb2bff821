// serval gen: a history from the simulated database, of any size, in any format.

#include <memory>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

#include "choices.h"
#include "exit_code.h"
#include "output.h"
#include "quantities.h"
#include "serval/base/error.h"
#include "serval/database/simulated/simulate.h"
#include "serval/formats/format.h"
#include "serval/report/quantity.h"
#include "verb.h"
#include "verb_limits.h"
#include "writing.h"

namespace serval::cli {
namespace {

struct GenFlags {
  std::string workload = "mini";
  std::string transactions = "10k", sessions = "20", keys;
  std::string distribution = "uniform";
  std::string level = "strict-serializable";
  std::vector<std::string> bugs;
  std::string plant;
  std::string seed;
  std::string aborts = "0.02", indeterminate = "0";
  std::string times = "txns";
  std::string order = "completion";
  std::string certificate = "auto";
  std::string format = "auto";
  std::string out = "-";
  LimitFlags limits;
  bool force = false;
};

std::uint64_t seed_of(const GenFlags& flags) {
  if (!flags.seed.empty()) return parse_count("--seed", flags.seed);
  return std::random_device{}();  // 32 bits: short enough to retype.
}

std::uint32_t sessions_of(const GenFlags& flags) {
  const std::uint64_t sessions = parse_count("--sessions", flags.sessions);
  if (sessions == 0 || sessions > 1'000'000) throw UsageError("--sessions takes 1 to 1M");
  return static_cast<std::uint32_t>(sessions);
}

SimulationOptions::Certificate certificate_of(const GenFlags& flags, bool with_ranges) {
  static constexpr std::array<std::string_view, 5> kCertificates{"auto", "none", "timestamps", "orders",
                                                                 "full"};
  const auto certificate =
      static_cast<SimulationOptions::Certificate>(choose("--certificate", flags.certificate, kCertificates));
  if (!with_ranges && certificate > SimulationOptions::Certificate::Timestamps)
    throw UsageError(fmt::format("--certificate {} is for workloads with ranges", flags.certificate),
                     "-w predicate-mix, or --certificate timestamps");
  return certificate;
}

SimulationOptions options_of(const GenFlags& flags) {
  static constexpr std::array<std::string_view, 3> kTimes{"none", "txns", "ops"};
  static constexpr std::array<std::string_view, 3> kOrders{"completion", "session", "shuffled"};
  const bool with_ranges = plans_rows(flags.workload);
  if (with_ranges && flags.order != "completion")
    throw UsageError("workloads with ranges support only --order completion");
  SimulationOptions options;
  options.workload = flags.workload;
  options.sessions = sessions_of(flags);
  options.transactions = parse_count("--txns", flags.transactions);
  const std::string default_keys = with_ranges ? "100" : "10k";
  options.keys = parse_count("--keys", flags.keys.empty() ? default_keys : flags.keys);
  options.key_distribution = flags.distribution;
  options.level = with_ranges ? parse_row_level(flags.level) : parse_simulated_level(flags.level);
  for (const std::string& bug : flags.bugs) options.bugs.push_back(parse_simulated_bug(bug));
  options.plant = flags.plant;
  options.seed = seed_of(flags);
  options.abort_share = parse_share("--abort", flags.aborts);
  options.indeterminate_share = parse_share("--indeterminate", flags.indeterminate);
  options.times = static_cast<SimulationOptions::Times>(choose("--times", flags.times, kTimes));
  options.order = static_cast<SimulationOptions::Order>(choose("--order", flags.order, kOrders));
  options.certificate = certificate_of(flags, with_ranges);
  return options;
}

// The simulated database reports bad options as bad input; here they came from flags.
History simulate_or_refuse(const GenFlags& flags, std::uint64_t& seed, Budget& budget) {
  try {
    SimulationOptions options = options_of(flags);
    options.budget = &budget;
    seed = options.seed;
    return simulate(options);
  } catch (const InputError& error) {
    const std::string hint = error.hint().empty() ? "serval gen --help" : error.hint();
    throw UsageError(fmt::format("{}: {}", error.position().file, error.problem()), hint);
  }
}

int generate(const GenFlags& flags, Budget& budget) {
  const Format format = output_format("--format", flags.format, flags.out);
  require_writable(flags.out, flags.force ? Overwrite::Allow : Overwrite::Refuse);
  std::uint64_t seed = 0;
  const History history = simulate_or_refuse(flags, seed, budget);
  const WriteReport written = write_history(history, format, flags.out, budget);
  for (const std::string& step : written.lossy_steps) note("note: " + step);
  note(fmt::format("seed {}   {}   {}   {}", seed, format_count(history.transaction_count(), "txn"),
                   format_count(history.operation_count(), "op"), flags.out == "-" ? "" : flags.out));
  return kHolds;
}

}  // namespace

Action declare_gen(Arguments& arguments) {
  auto flags = std::make_shared<GenFlags>();
  arguments.option("-w,--workload", flags->workload,
                   "NAME or NAME:parameter=value,… (serval workloads) [mini]", "WORKLOAD");
  arguments.option("-n,--txns", flags->transactions, "Number of transactions: 1000, 10k, 1M [10k]", "N");
  arguments.option("--sessions", flags->sessions, "Number of sessions [20]", "N");
  arguments.option("--keys", flags->keys, "Number of keys [10k; with ranges 100]", "N");
  arguments.option("--distribution", flags->distribution,
                   "Key distribution: uniform, zipf, hotspot, exponential [uniform]", "NAME");
  arguments.option("--level", flags->level, "Level of the simulated database [strict-serializable]", "LEVEL");
  arguments.option("--bug", flags->bugs, "Enable a bug: NAME or NAME:probability=0.1,limit=1; repeatable",
                   "BUG");
  arguments.option("--plant", flags->plant, "Plant one anomaly (serval anomalies)", "ANOMALY");
  arguments.option("--seed", flags->seed, "Seed; the same seed gives the same file [random, printed]", "N");
  arguments.option("--abort", flags->aborts, "Share of transactions that their client aborts [0.02]",
                   "SHARE");
  arguments.option("--indeterminate", flags->indeterminate, "Share of commits whose response is lost [0]",
                   "SHARE");
  arguments.option("--times", flags->times, "Record no times, or those of transactions or operations [txns]",
                   "none|txns|ops");
  arguments.option("--order", flags->order, "Order of the transactions in the file [completion]",
                   "completion|session|shuffled");
  arguments.option("--certificate", flags->certificate,
                   "Record the version order in this form [timestamps with ranges, else none]",
                   "none|timestamps|orders|full");
  arguments.option("-f,--format", flags->format, "Format of the output [by the file name, else jsonl]",
                   "NAME");
  arguments.option("-o,--out", flags->out, "Output file; - is standard output [-]", "FILE");
  arguments.flag("--force", flags->force, "Overwrite an existing file");
  declare_limit_flags(arguments, flags->limits);
  return [flags] {
    return within_limits(flags->limits, [&](Budget& budget) { return generate(*flags, budget); });
  };
}

}  // namespace serval::cli
