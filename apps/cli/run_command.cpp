// serval run and serval record: run a workload against a database and record what its clients see; run
// also checks the recording.

#include "run_command.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "check_plan.h"
#include "choices.h"
#include "exit_code.h"
#include "failure.h"
#include "interruption.h"
#include "memory_limit.h"
#include "output.h"
#include "profile_choice.h"
#include "quantities.h"
#include "run_certificate.h"
#include "run_watch.h"
#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/base/link_target.h"
#include "serval/database/campaign.h"
#include "serval/database/invariant_watch.h"
#include "serval/database/passwords.h"
#include "serval/levels/level.h"
#include "serval/online/profile_file.h"
#include "serval/watch/live_check.h"
#include "serval/watch/run_mirror.h"
#include "serval/workload/workload.h"
#include "server_oracle.h"
#include "verb.h"
#include "writing.h"

namespace serval::cli {
namespace {

std::uint64_t seed_of(const RunFlags& flags) {
  if (!flags.seed.empty()) return parse_count("--seed", flags.seed);
  return std::random_device{}();  // 32 bits: short enough to retype.
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

// The database under test; for SQLite, the library.
PredicateOracle oracle_of(const RunFlags& flags) {
  static constexpr std::array<std::string_view, 2> kWords{"interpreter", "database"};
  if (choose("--oracle", flags.oracle, kWords) == 0) return PredicateOracle::Interpreter;
  return driver_of(flags.address).name == "sqlite" ? PredicateOracle::Database : PredicateOracle::Server;
}

CheckPlan check_of(const RunFlags& flags) {
  CheckPlan plan;
  plan.json = flags.json;
  plan.verify = flags.verify;
  plan.progress = choose_progress(flags.progress);
  apply(flags.report, plan);
  plan.oracle = oracle_of(flags);
  require_oracle(plan.oracle);
  if (plan.oracle == PredicateOracle::Server) require_server_oracle(plan.oracle_address = flags.address);
  return plan;
}

// "sqlite-list-append": the part of a folder's name after the time.
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

// Only for PostgreSQL is the extra statement that reads a transaction id optional.
std::string address_of(const RunFlags& flags) {
  if (!flags.server_ids || driver_of(flags.address).name != "postgres") return flags.address;
  return flags.address + (flags.address.find('?') == std::string::npos ? "?xid=on" : "&xid=on");
}

class Run {
 public:
  explicit Run(const RunFlags& flags)
      : flags_(flags),
        seed_(seed_of(flags)),
        options_(options_of(flags, seed_)),
        check_(check_of(flags)),
        profile_(read_profile_choice(flags.profile)),
        workload_(workload_or_refuse(flags)),
        isolation_(choose_isolation(driver_of(flags.address), flags.isolation)),
        promise_(isolation_.promises),
        wish_(certificate_wish(flags, workload_)) {
    choose_level_of(flags.level.empty() ? promise_ : flags.level);
    if (flags.stop_on_violation && !checks_live())
      throw UsageError("--stop-on-violation needs checking during the run", why_not_live());
    const DriverInfo& driver = driver_of(flags.address);
    if (workload_.info->needs_ranges && !driver.has_ranges)
      throw UsageError(fmt::format("{} needs ranges, which {} does not have", flags.workload, driver.name),
                       "serval workloads lists those that do not need them");
    if (!flags.out.empty()) require_recordable(flags.out, flags.force ? Overwrite::Allow : Overwrite::Refuse);
    no_certificate_ = why_no_certificate(flags, workload_);
    open();
    ask_server();
  }

  int go() {
    catch_signals();
    record();
    if (const int signal = caught_signal(); signal != 0) {
      forget_signal();
      findings_.exit_code = worse(findings_.exit_code, 128 + signal);
    }
    say(fmt::format("recorded   {}   seed {}", path_.string(), seed_));
    const int code = flags_.checks ? check() : judge_without_check();
    if (flags_.checks && flags_.out.empty())
      say(fmt::format("folder     {}   history.jsonl, report.txt, report.json",
                      path_.parent_path().string()));
    return code;
  }

  const std::filesystem::path& recording() const { return path_; }

 private:
  void choose_level_of(std::string_view name) {
    level_.reset();
    if (!name.empty()) level_ = choose_level(name);
  }

  // Depends on the server's settings; known before anything runs.
  void ask_server() {
    std::map<std::string, std::string> facts = database_->facts();
    facts["isolation"] = isolation_.name;
    promise_ = promise_of(isolation_, facts);
    if (flags_.level.empty()) choose_level_of(promise_);
    if (flags_.live) watch::RunMirror::require_profile(profile_, facts);
  }

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

  // Details of a successful run.
  void say(const std::string& line) const {
    if (!flags_.report.quiet) note(line);
  }

  void open() {
    try {
      database_ = open_database(address_of(flags_), {.isolation = std::string(isolation_.name),
                                                     .nodes = flags_.nodes,
                                                     .certificate = wish_ != CertificateWish::None});
    } catch (const InputError& error) {
      if (wish_ != CertificateWish::WherePossible) throw;
      go_without_certificate(error.problem());
      open();
    }
  }

  void go_without_certificate(const std::string& reason) {
    wish_ = CertificateWish::None;
    no_certificate_ = reason;
  }

  // Before the run, because its verdict may be weaker than the user expects.
  std::unique_ptr<Recovery> prepare(const Schema& schema) {
    std::unique_ptr<Recovery> recovery;
    database_->create(schema);
    try {
      if (wish_ != CertificateWish::None) recovery = database_->recover();
    } catch (const DatabaseError& error) {
      if (wish_ != CertificateWish::WherePossible) throw;
      go_without_certificate(error.hint().empty() ? error.what() : error.what() + ("; " + error.hint()));
      open();
      database_->create(schema);
    }
    const std::string gap = recovery ? database_->certificate_gap() : "no certificate: " + no_certificate_;
    if (workload_.info->needs_ranges && flags_.checks &&
        (recovery ? !gap.empty() : !no_certificate_.empty())) {
      constexpr std::string_view kEffect = "what ranges leave open may stay UNKNOWN";
      note(fmt::format("note: {}; {}", gap.substr(0, gap.find("; ")), kEffect));  // The report has the rest.
      findings_.notices.push_back(fmt::format("{}; {} (docs/certificates.md)", gap, kEffect));
    }
    return recovery;
  }

  void record() {
    const Schema schema = workload_.generator->schema();
    path_ = flags_.out.empty() ? make_folder(flags_) / "history.jsonl" : std::filesystem::path(flags_.out);
    try {
      const std::unique_ptr<Recovery> recovery = prepare(schema);
      const std::string file = link_target(path_.string());
      if (flags_.force) std::filesystem::remove(file);
      Recorder recorder(file, header(*database_, schema), schema);
      Campaign campaign(*database_, *workload_.generator, recorder, options_);
      drive(campaign);
      finish(recorder, schema, recovery.get());
      if (mirror_) {
        learn(mirror_->finish());
      }
    } catch (...) {
      clean_up(*database_);
      throw;
    }
    clean_up(*database_);
  }

  // A recording without its certificate is still useful.
  void finish(Recorder& recorder, const Schema& schema, Recovery* recovery) {
    if (recovery == nullptr) return recorder.finish();
    const RecoveredLines recovered = recover_lines(*recovery, schema, recorder.ledger());
    recorder.finish(recovered.lines);
    if (!recovered.story.empty()) say("recovered  " + recovered.story);
    if (recovered.notice.empty()) return;
    note("note: " + recovered.notice);
    findings_.notices.push_back(recovered.notice);
  }

  // If the database is gone, the tables stay; the recording matters more.
  void clean_up(Database& database) const noexcept {
    if (flags_.keep_tables) return;
    try {
      database.drop();
    } catch (const std::exception& error) {
      note(fmt::format("note: the serval_* tables were not dropped: {}", error.what()));
    }
  }

  RunHeader header(Database& database, const Schema& schema) const {
    RunHeader header;
    if (!schema.empty() && schema.front().initial == TableInfo::Initial::Zero &&
        schema.front().holds == TableInfo::Holds::Registers)
      header.initial = 0;
    header.facts = database.facts();
    header.facts["isolation"] = isolation_.name;
    if (!promise_.empty()) header.facts["promises"] = promise_;
    header.facts["workload"] = flags_.workload;
    header.facts["seed"] = std::to_string(seed_);
    header.facts["clients"] = std::to_string(options_.sessions);
    if (wish_ != CertificateWish::None) {
      header.facts["certificate"] = driver_of(flags_.address).certificate;
      header.ledger = SessionLog::Ledger::Kept;
    }
    return header;
  }

  // Runs the campaign while other threads check the recording, watch the invariants and show the
  // progress.
  void drive(Campaign& campaign) {
    if (flags_.live) mirror_.emplace(path_.string(), profile_, [](const std::string& line) { note(line); });
    std::optional<watch::LiveCheck> live;
    if (checks_live())
      live.emplace(path_.string(), *level_, default_memory_limit(),
                   flags_.stop_on_violation ? watch::LiveCheck::Pace::Eager : watch::LiveCheck::Pace::Modest);
    std::optional<InvariantWatch> invariants;
    if (!workload_.info->invariant.empty()) invariants.emplace(*database_, *workload_.generator);
    RunWatch watch(campaign, live ? &*live : nullptr,
                   {flags_.report.quiet ? ProgressMode::None : check_.progress, flags_.stop_on_violation});
    campaign.run();
    watch.stop();
    say("ran        " + watch.totals());
    if (const std::optional<DatabaseError> loss = campaign.loss()) lose(loss->what());
    if (invariants) learn(*invariants);
    if (!live) return;
    live->stop();
    found_live_ = live->state();
  }

  void lose(const std::string& problem) {
    if (!findings_.loss.empty()) return;
    findings_.loss = without_passwords(problem);
    findings_.exit_code = worse(findings_.exit_code, kDatabaseFailure);
    note("lost       the database: " + findings_.loss);
  }

  // Reports what the mirror found.
  void learn(const watch::RunMirror::Result& mirrored) {
    findings_.mirrored_in_all = mirrored.summary.state.violations;
    findings_.mirrored = mirrored.headlines;
    if (mirrored.problem) {
      const Failure failure = describe_exception(mirrored.problem);
      note(failure.drawing);
      findings_.exit_code = worse(findings_.exit_code, failure.exit_code);
      return;
    }
    for (const std::string& text : mirrored.found) note(text);
    note("mirrored   " + text_of(mirrored.summary));
    if (mirrored.summary.verdict == watch::WatchVerdict::Violation)
      findings_.exit_code = worse(findings_.exit_code, kViolated);
  }

  void learn(InvariantWatch& watch) {
    if (findings_.loss.empty()) watch.look_at_the_end();
    watch.stop();
    InvariantFindings found = watch.findings();
    if (!found.problem.empty()) lose("the invariant cannot be examined: " + found.problem);
    const WorkloadInfo& info = *workload_.info;
    findings_.invariant = info.invariant;
    findings_.kept_at.assign(info.kept_at.begin(), info.kept_at.end());
    findings_.looks = found.looks;
    findings_.broken_in_all = found.broken_in_all;
    findings_.broken = std::move(found.broken);
  }

  // The rows that a range changes are known only from the response, so the recording of a cut-off run may
  // lack the writers of values that others read.
  bool checks_live() const {
    return flags_.checks && !flags_.no_live && !flags_.live && level_ && watch::LiveCheck::watches(*level_) &&
           !workload_.info->needs_ranges;
  }

  std::string why_not_live() const {
    if (flags_.no_live) return "leave out --no-live";
    if (flags_.live) return "leave out --live";
    if (!level_)
      return fmt::format("{} promises no level: add --level LEVEL", driver_of(flags_.address).name);
    if (workload_.info->needs_ranges)
      return fmt::format("{} has ranges, so it is checked at the end", flags_.workload);
    return fmt::format("{} is checked at the end", name_of(*level_));
  }

  int check() {
    if (!flags_.level.empty()) check_.level = level_;  // Else what the recording promises.
    if (flags_.out.empty()) check_.report_folder = path_.parent_path().string();
    findings_.workload = flags_.workload;
    findings_.isolation = isolation_.name;
    findings_.promises = promise_;
    if (found_live_.violated())
      findings_.found_on_the_way = spelled(found_live_, watch::LiveState::Clock::now());
    check_.run = findings_;
    return check_files(check_, {path_.string()});
  }

  // For serval record.
  int judge_without_check() const {
    constexpr std::size_t kMost = 10;
    for (std::size_t i = 0; i < std::min(kMost, findings_.broken.size()); ++i)
      note("broken invariant: " + findings_.broken[i]);
    if (findings_.broken_in_all > kMost)
      note(fmt::format("broken invariant: … {} more", findings_.broken_in_all - kMost));
    return is_broken(findings_) ? static_cast<int>(kViolated) : findings_.exit_code;
  }

  const RunFlags& flags_;
  std::uint64_t seed_;
  CampaignOptions options_;
  CheckPlan check_;
  online::ProfileChoice profile_;  // For --live.
  Workload workload_;
  const IsolationInfo& isolation_;
  std::string promise_;  // Of the isolation, given the server's settings.
  CertificateWish wish_;
  std::string no_certificate_;  // Why there is none, if one would be of use.
  std::unique_ptr<Database> database_;
  std::optional<Level> level_;  // None: survey all levels.
  std::filesystem::path path_;
  watch::LiveState found_live_;
  std::optional<watch::RunMirror> mirror_;
  RunFindings findings_;
};

void declare_shared(Arguments& arguments, RunFlags& flags) {
  arguments.word("ADDRESS", flags.address, "sqlite:FILE, postgres://HOST/DATABASE, ... (serval drivers)");
  arguments.option("-w,--workload", flags.workload,
                   "NAME or NAME:parameter=value,… (serval workloads) [list-append]", "WORKLOAD");
  arguments.option("-i,--isolation", flags.isolation,
                   "Isolation to request (serval drivers) [the driver's default]", "NAME");
  arguments.option("-c,--clients", flags.clients, "Number of concurrent clients [8]", "N");
  arguments.option("-t,--time", flags.time, "Duration of the run [10s, unless --txns is given]", "TIME");
  arguments.option("-n,--txns", flags.transactions, "Number of transactions of all clients together", "N");
  arguments.option("--rate", flags.rate, "At most N transactions per second [no limit]", "N");
  arguments.option("--keys", flags.keys, "Number of keys [the workload's]", "N");
  arguments.option("--distribution", flags.distribution, "Key distribution [the workload's]", "NAME");
  arguments.option("--seed", flags.seed, "Seed; the same seed gives the same requests [random, printed]",
                   "N");
  arguments.option("--abort", flags.aborts, "Share of transactions that the workload rolls back [0.02]",
                   "SHARE");
  arguments.option("--node", flags.nodes, "Another address of the same database; repeatable", "ADDRESS");
  arguments.flag("--live", flags.live, "Verify with the mirror during the run, as serval watch does");
  arguments.option("--profile", flags.profile,
                   "For --live: what the database promises, by name or as a file [by the driver]",
                   "NAME|FILE");
  arguments.flag("--server-ids", flags.server_ids,
                 "Record server transaction ids even if they cost an extra statement (PostgreSQL)");
  arguments.flag("--certificate", flags.certificate,
                 "Recover the version order, and what each range saw, from the log of the database");
  arguments.flag("--no-certificate", flags.no_certificate,
                 "Record no certificate, even for a workload with ranges");
  arguments.flag("--no-cleanup", flags.keep_tables, "Do not drop the serval_* tables at the end");
  arguments.option("--progress", flags.progress, "Progress on standard error [auto]", "auto|plain|none");
  arguments.flag("--force", flags.force, "Overwrite an existing --out file");
}

}  // namespace

int run_database(const RunFlags& flags) {
  std::optional<Run> run;
  try {
    run.emplace(flags);
  } catch (const online::ProfileError&) {
    throw;
  } catch (const InputError& error) {  // It came from flags, not from a file.
    throw UsageError(error.problem(), error.hint().empty() ? "serval drivers" : error.hint());
  } catch (const DatabaseError&) {
    if (flags.json) print(json_of_current_exception(without_passwords(flags.address)) + "\n");
    throw;
  }
  try {
    return run->go();
  } catch (...) {
    if (flags.json) print(json_of_current_exception(run->recording().string()) + "\n");
    throw;
  }
}

Action declare_run(Arguments& arguments) {
  auto flags = std::make_shared<RunFlags>();
  declare_shared(arguments, *flags);
  arguments.option("-l,--level", flags->level, "Require this level [what the isolation promises]", "LEVEL");
  arguments.option("-o,--out", flags->out, "File for the recording [serval-out/<time>-<what>/history.jsonl]",
                   "FILE");
  arguments.flag("--json", flags->json, "One JSON object instead of text");
  arguments.flag("--verify", flags->verify, "Verify the evidence independently, against the raw history");
  arguments.option(
      "--oracle", flags->oracle,
      "Evaluate predicates with the interpreter alone, or also on the database, which must agree",
      "interpreter|database");
  arguments.option("--max-anomalies", flags->report.max_anomalies,
                   "Print at most N anomalies [10; for a survey 1, with --json 10]; all are counted", "N");
  arguments.flag("-q,--quiet", flags->report.quiet, "Print only the first line, and problems of the run");
  arguments.option("--color", flags->report.colour,
                   "When to use colour; auto obeys NO_COLOR and CLICOLOR_FORCE [auto]", "auto|always|never");
  arguments.flag("--no-live", flags->no_live, "Check only at the end, not during the run");
  arguments.flag("--stop-on-violation", flags->stop_on_violation, "End the run at the first violation");
  return [flags] { return run_database(*flags); };
}

Action declare_record(Arguments& arguments) {
  auto flags = std::make_shared<RunFlags>();
  flags->checks = false;
  declare_shared(arguments, *flags);
  arguments.option("-o,--out", flags->out, "File for the recording [serval-out/<time>-<what>/history.jsonl]",
                   "FILE");
  return [flags] { return run_database(*flags); };
}

}  // namespace serval::cli
