// serval run and serval record: drive a database with a workload and write down what its clients saw; run
// also checks it.

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "check_command.h"
#include "exit_code.h"
#include "interruption.h"
#include "output.h"
#include "quantities.h"
#include "serval/base/error.h"
#include "serval/check/level.h"
#include "serval/database/campaign.h"
#include "serval/report/quantity.h"
#include "serval/workload/workload.h"
#include "usage.h"
#include "verb.h"

namespace serval::cli {
namespace {

struct RunFlags {
  std::string address;
  std::vector<std::string> nodes;
  std::string workload = "list-append";
  std::string isolation;
  std::string level;
  std::string clients = "8";
  std::string time, transactions;
  std::string keys, distribution;
  std::string rate;
  std::string seed;
  std::string aborts = "0.02";
  std::string out;
  std::string progress = "auto";
  bool json = false;
  bool verify = false;
  std::string max_anomalies = "10";
  bool keep_tables = false;
  bool checks = true;
};

std::uint64_t seed_of(const RunFlags& flags) {
  if (!flags.seed.empty()) return parse_count("--seed", flags.seed);
  return std::random_device{}();  // 32 bits are easy to type again.
}

CampaignOptions options_of(const RunFlags& flags, std::uint64_t seed) {
  CampaignOptions options;
  const std::uint64_t clients = parse_count("--clients", flags.clients);
  if (clients == 0 || clients > 10'000) throw UsageError("--clients takes 1 to 10k");
  options.sessions = static_cast<std::uint32_t>(clients);
  if (!flags.transactions.empty()) options.transactions = parse_count("--txns", flags.transactions);
  if (!flags.time.empty()) options.time = parse_duration("--time", flags.time);
  if (flags.time.empty() && flags.transactions.empty()) options.time = std::chrono::seconds(10);
  if (!flags.rate.empty()) options.rate = static_cast<double>(parse_count("--rate", flags.rate));
  options.seed = seed;
  options.abort_share = parse_share("--abort", flags.aborts);
  return options;
}

// "sqlite-list-append": what a folder of a run is called after its time.
std::string slug_of(const RunFlags& flags) {
  std::string slug = fmt::format("{}-{}", driver_of(flags.address).name, flags.workload);
  for (char& c : slug)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  return slug;
}

// serval-out/<UTC time>-<slug>/, with a link `latest` to the newest.
std::filesystem::path make_folder(const RunFlags& flags) {
  const std::filesystem::path base = "serval-out";
  const std::string name =
      fmt::format("{:%Y%m%dT%H%M%SZ}-{}", fmt::gmtime(std::time(nullptr)), slug_of(flags));
  for (int attempt = 0;; ++attempt) {
    std::filesystem::path folder = base / (attempt == 0 ? name : fmt::format("{}-{}", name, attempt + 1));
    std::error_code error;
    std::filesystem::create_directories(base, error);
    if (!error && std::filesystem::create_directory(folder, error)) {
      std::filesystem::remove(base / "latest", error);
      std::filesystem::create_directory_symlink(folder.filename(), base / "latest", error);
      return folder;
    }
    if (error) throw OutputError(fmt::format("{}: {}", folder.string(), error.message()));
  }
}

std::string spelled_aborts(const CampaignCounts& counts) {
  std::string out;
  for (const auto& [cause, number] : counts.aborted)
    out += fmt::format("{}{} {}", out.empty() ? " (" : ", ", number, name_of(cause));
  return out.empty() ? out : out + ")";
}

std::string spelled_counts(const CampaignCounts& counts, double seconds) {
  const double rate = static_cast<double>(counts.committed) / std::max(seconds, 1e-9);
  std::string line = fmt::format("{:.1f} s   {} committed ({:.0f}/s)   {} aborted{}   {} rolled back",
                                 seconds, counts.committed, rate, counts.aborted_in_all(),
                                 spelled_aborts(counts), counts.rolled_back);
  if (counts.indeterminate > 0) line += fmt::format("   {} indeterminate", counts.indeterminate);
  if (counts.reconnections > 0) line += fmt::format("   {} new connections", counts.reconnections);
  return line +
         fmt::format("   p99 {}", spell_seconds(static_cast<double>(counts.latency.quantile(0.99)) * 1e-9));
}

class Run {
 public:
  explicit Run(const RunFlags& flags)
      : flags_(flags),
        seed_(seed_of(flags)),
        options_(options_of(flags, seed_)),
        workload_(workload_or_refuse(flags)),
        isolation_(choose_isolation(driver_of(flags.address), flags.isolation)) {
    if (!flags.level.empty() && !find_level(flags.level))
      throw UsageError(fmt::format("there is no level \"{}\"", flags.level), "serval levels");
    const DriverInfo& driver = driver_of(flags.address);
    if (workload_.info->needs_ranges && !driver.has_ranges)
      throw UsageError(fmt::format("{} needs ranges, which {} does not have", flags.workload, driver.name),
                       "serval workloads lists those that do without");
    database_ =
        open_database(flags.address, {.isolation = std::string(isolation_.name), .nodes = flags.nodes});
  }

  int go() {
    catch_signals();
    record();
    const int signal = caught_signal();
    if (signal != 0) forget_signal();
    note(fmt::format("recorded   {}   seed {}", path_.string(), seed_));
    const int verdict = flags_.checks ? check() : static_cast<int>(kHolds);
    const int invariants = broken_.empty() ? static_cast<int>(kHolds) : static_cast<int>(kViolated);
    for (const std::string& sentence : broken_) note("broken invariant: " + sentence);
    return signal != 0 ? 128 + signal : worse(verdict, invariants);
  }

 private:
  static Workload workload_or_refuse(const RunFlags& flags) {
    try {
      KeyRequest keys;
      if (!flags.keys.empty()) keys.keys = parse_count("--keys", flags.keys);
      keys.distribution = flags.distribution;
      return make_workload(flags.workload, keys);
    } catch (const InputError& error) {
      throw UsageError(fmt::format("{}: {}", error.position().file, error.problem()),
                       error.hint().empty() ? "serval workloads" : error.hint());
    }
  }

  void record() {
    const Schema schema = workload_.generator->schema();
    path_ = flags_.out.empty() ? make_folder(flags_) / "history.jsonl" : std::filesystem::path(flags_.out);
    try {
      database_->create(schema);
      Recorder recorder(path_.string(), header(*database_, schema), schema);
      Campaign campaign(*database_, *workload_.generator, recorder, options_);
      drive(campaign);
      recorder.finish();
      look_at_invariants(*database_);
    } catch (...) {
      clean_up(*database_);
      throw;
    }
    clean_up(*database_);
  }

  // A database that went away keeps its tables; the recording counts more.
  void clean_up(Database& database) const noexcept {
    if (flags_.keep_tables) return;
    try {
      database.drop();
    } catch (const std::exception& error) {
      note(fmt::format("note: the tables serval_* are left behind: {}", error.what()));
    }
  }

  void look_at_invariants(Database& database) {
    try {
      const std::unique_ptr<Client> client = database.connect(0);
      client->begin();
      FinalState state([&](const Request& request) { return client->perform(request); });
      broken_ = workload_.generator->broken_invariants(state);
      client->roll_back();
    } catch (const TransactionFailure& failure) {
      note(fmt::format("note: the final state could not be read: {}", failure.what()));
    }
  }

  RunHeader header(Database& database, const Schema& schema) const {
    RunHeader header;
    if (!schema.empty() && schema.front().initial == TableInfo::Initial::Zero &&
        schema.front().holds == TableInfo::Holds::Registers)
      header.initial = 0;
    header.facts = database.facts();
    header.facts["isolation"] = isolation_.name;
    header.facts["promises"] = isolation_.promises;
    header.facts["workload"] = flags_.workload;
    header.facts["seed"] = std::to_string(seed_);
    header.facts["clients"] = std::to_string(options_.sessions);
    return header;
  }

  // Runs the campaign beside a line that says how it goes.
  void drive(Campaign& campaign) {
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::atomic<bool> over = false;
    std::thread watcher([&] {
      const bool terminal = flags_.progress == "auto" && ::isatty(STDERR_FILENO) == 1;
      double next = terminal ? 0.5 : 10;
      while (!over) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (caught_signal() != 0) campaign.stop();
        if (seconds() < next || flags_.progress == "none") continue;
        next += terminal ? 0.5 : 10;
        const std::string line = spelled_counts(campaign.counts(), seconds());
        terminal ? draw("\r\x1b[K" + line) : note(line);
      }
      if (terminal) draw("\r\x1b[K");
    });
    try {
      campaign.run();
    } catch (...) {
      over = true;
      watcher.join();
      throw;
    }
    over = true;
    watcher.join();
    note("ran        " + spelled_counts(campaign.counts(), seconds()));
  }

  int check() const {
    CheckFlags check;
    check.paths = {path_.string()};
    check.level = flags_.level.empty() ? std::string(isolation_.promises) : flags_.level;
    check.json = flags_.json;
    check.verify = flags_.verify;
    check.max_anomalies = flags_.max_anomalies;
    check.reading.progress = flags_.progress;
    return check_files(check);
  }

  const RunFlags& flags_;
  std::uint64_t seed_;
  CampaignOptions options_;
  Workload workload_;
  const IsolationInfo& isolation_;
  std::unique_ptr<Database> database_;
  std::filesystem::path path_;
  std::vector<std::string> broken_;
};

int refuse_or_go(const RunFlags& flags) {
  std::optional<Run> run;
  try {
    run.emplace(flags);
  } catch (const InputError& error) {  // Of flags, not of a file.
    throw UsageError(error.problem(), error.hint().empty() ? "serval drivers" : error.hint());
  }
  return run->go();
}

void declare_shared(Arguments& arguments, RunFlags& flags) {
  arguments.word("ADDRESS", flags.address, "sqlite:FILE, postgres://HOST/DATABASE, ... (serval drivers)");
  arguments.option("-w,--workload", flags.workload,
                   "NAME or NAME:parameter=value,… (serval workloads) [list-append]", "WORKLOAD");
  arguments.option("-i,--isolation", flags.isolation,
                   "What to ask the database for (serval drivers) [its default]", "NAME");
  arguments.option("-c,--clients", flags.clients, "Sessions at the same time [8]", "N");
  arguments.option("-t,--time", flags.time, "How long to run [10s, unless --txns is given]", "TIME");
  arguments.option("-n,--txns", flags.transactions, "How many transactions to run, all clients together",
                   "N");
  arguments.option("--rate", flags.rate, "At most so many transactions a second [no limit]", "N");
  arguments.option("--keys", flags.keys, "Keys [the workload's]", "N");
  arguments.option("--distribution", flags.distribution, "Which keys are chosen [the workload's]", "NAME");
  arguments.option("--seed", flags.seed, "The same seed asks the same [random, printed]", "N");
  arguments.option("--abort", flags.aborts, "Share of transactions that roll back by themselves [0.02]",
                   "SHARE");
  arguments.option("--node", flags.nodes, "A further address of the same database; repeatable", "ADDRESS");
  arguments.flag("--no-cleanup", flags.keep_tables, "Leave the tables serval_* behind");
  arguments.option("--progress", flags.progress, "Signs of life on standard error", "auto|plain|none");
}

}  // namespace

Action declare_run(Arguments& arguments) {
  auto flags = std::make_shared<RunFlags>();
  declare_shared(arguments, *flags);
  arguments.option("-l,--level", flags->level, "Gate this level [what the isolation promises]", "LEVEL");
  arguments.option("-o,--out", flags->out, "The recorded history [serval-out/<time>-<what>/history.jsonl]",
                   "FILE");
  arguments.flag("--json", flags->json, "One JSON object instead of text");
  arguments.flag("--verify", flags->verify, "Re-prove the verdict from the raw history");
  arguments.option("--max-anomalies", flags->max_anomalies, "Show at most so many [10]; all are counted",
                   "N");
  return [flags] { return refuse_or_go(*flags); };
}

Action declare_record(Arguments& arguments) {
  auto flags = std::make_shared<RunFlags>();
  flags->checks = false;
  declare_shared(arguments, *flags);
  arguments.option("-o,--out", flags->out, "The recorded history [serval-out/<time>-<what>/history.jsonl]",
                   "FILE");
  return [flags] { return refuse_or_go(*flags); };
}

}  // namespace serval::cli
