// serval watch: verifies a running database from what its clients see.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "choices.h"
#include "exit_code.h"
#include "failure.h"
#include "interruption.h"
#include "memory_limit.h"
#include "output.h"
#include "profile_choice.h"
#include "quantities.h"
#include "serval/base/error.h"
#include "serval/watch/metrics_server.h"
#include "serval/watch/watch_engine.h"
#include "serval/watch/watch_report.h"
#include "serval/watch/watch_sources.h"
#include "stuck_guard.h"
#include "verb.h"
#include "verb_limits.h"
#include "violation_action.h"

namespace serval::cli {
namespace {

struct WatchFlags {
  std::string source;
  std::string profile, level;
  std::string clock_error, duration, idle = "10s", memory_limit;
  std::string metrics;
  std::vector<std::string> on_violation;
  std::string connections;
  std::string initial;
  std::string max_violations = "10";
  std::string action_rate = "60";
  std::string threads = "1";
  std::string progress = "auto";
  bool json = false;
  bool follow = false, no_follow = false;
  bool any_interface = false;
};

constexpr std::uint64_t kShareOfWaiting =
    4;  // One part in four of the memory limit of a file is for queued records.

watch::WatchSetting setting_of(const WatchFlags& flags) {
  if (!flags.profile.empty() && !flags.level.empty())
    throw UsageError("--profile and --level cannot be combined", "leave one out");
  if (watch::is_endpoint(flags.source) && flags.profile.empty() && flags.level.empty())
    throw UsageError(
        "which database is this, and at which isolation?",
        "a socket needs --profile or --level; clients cannot choose it. For example "
        "--profile postgres:serializable, or --level serializable for what any database promises");
  watch::WatchSetting setting;
  setting.profile = read_profile_choice(flags.profile);
  if (!flags.level.empty()) setting.profile.level = choose_level(flags.level);
  setting.note = [](const std::string& line) { note(line); };
  if (!flags.clock_error.empty())
    setting.pipeline.clock_error = parse_duration("--clock-error", flags.clock_error).count();
  setting.pipeline.idle_after = parse_duration("--idle", flags.idle);
  if (!watch::is_endpoint(flags.source))
    setting.pipeline.memory_limit =
        std::min(setting.pipeline.memory_limit, memory_limit_of(flags.memory_limit) / kShareOfWaiting);
  else if (!flags.memory_limit.empty())
    setting.pipeline.memory_limit = parse_size("--memory-limit", flags.memory_limit);
  setting.threads = parse_threads(flags.threads);
  return setting;
}

watch::SourceOptions source_of(const WatchFlags& flags) {
  watch::SourceOptions options;
  options.word = flags.source;
  if (flags.follow && flags.no_follow) throw UsageError("--follow and --no-follow cannot be combined");
  if (flags.follow) options.follow = watch::Follow::Always;
  if (flags.no_follow) options.follow = watch::Follow::Never;
  if (flags.any_interface) options.interfaces = watch::Interfaces::Any;
  if (!flags.connections.empty()) options.connections = parse_count("--connections", flags.connections);
  if (!flags.initial.empty() && flags.initial != "unknown")
    throw UsageError(fmt::format("--initial does not accept \"{}\"", flags.initial), "--initial unknown");
  options.initial_unknown = !flags.initial.empty();
  return options;
}

class Watch {
 public:
  explicit Watch(const WatchFlags& flags)
      : flags_(flags),
        actions_(flags.on_violation, parse_count("--action-rate", flags.action_rate)),
        most_shown_(parse_count("--max-violations", flags.max_violations)),
        progress_(choose_progress(flags.progress)),
        engine_(setting_of(flags)) {
    if (!flags.duration.empty()) deadline_ = start_ + parse_duration("--duration", flags.duration);
  }

  int go() {
    catch_signals();
    std::signal(SIGPIPE, SIG_IGN);
    // For files the limit covers the process. For clients it covers only queued records, because the
    // stacks of their threads would count too.
    if (!watch::is_endpoint(flags_.source)) memory_.emplace(memory_limit_of(flags_.memory_limit));
    const watch::Interfaces interfaces =
        flags_.any_interface ? watch::Interfaces::Any : watch::Interfaces::LoopbackOnly;
    if (!flags_.metrics.empty())
      metrics_.emplace(flags_.metrics, interfaces, [this](std::string_view path) { return answer(path); });
    StuckGuard guard([this] { return should_end(); }, [this] { return say_last_words(); });
    Budget budget = interruptible();
    watch::SourceOptions options = source_of(flags_);
    options.budget = &budget;
    sources_.emplace(engine_, options);
    reads_ = true;
    say_where();
    int code = kHolds;
    try {
      watch();
    } catch (...) {
      engine_.intake().pipeline().abandon();
      code = describe();
    }
    engine_.finish(teller());
    guard.disarm();
    actions_.finish();
    const int signal = caught_signal();
    const watch::WatchSummary summary = summarise(signal, code);
    show(flags_.json ? json_of(summary) : text_of(summary));
    if (signal != 0 && summary.verdict != watch::WatchVerdict::Violation) return 128 + signal;
    return worse(lost_output_ ? worse(code, kBadInput) : code, exit_code_of(summary.verdict));
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Runs until the input ends or something stops the watch, and then judges what has arrived.
  void watch() {
    const bool complete = engine_.run(teller(), [this] { return is_over(); });
    sources_->stop();
    if (!complete) engine_.drain(teller());
    sources_->rethrow();
  }

  // Any thread.
  bool should_end() const {
    return caught_signal() != 0 || exits_now_ || (deadline_ && Clock::now() >= *deadline_);
  }

  // Called by the guard's thread while another one is stuck: reports what is known so far.
  int say_last_words() {
    const int signal = caught_signal();
    watch::WatchSummary summary{reads_ ? sources_->name() : flags_.source, watch::WatchVerdict::Unknown,
                                engine_.state(), seconds(),
                                signal != 0  ? name_of_signal(signal)
                                : exits_now_ ? "the first violation"
                                             : "--duration"};
    if (summary.state.violations > 0) summary.verdict = watch::WatchVerdict::Violation;
    note(
        "note: the watch was busy with a very large transaction or line; records not yet judged were left "
        "out");
    if (reads_) sources_->remove_socket();
    show(flags_.json ? json_of(summary) : text_of(summary));
    if (summary.verdict == watch::WatchVerdict::Violation) return kViolated;
    return signal != 0 ? 128 + signal : kUndecided;
  }

  bool is_over() {
    show_progress();
    actions_.look();
    if (caught_signal() != 0)
      ended_ = name_of_signal(caught_signal());
    else if (exits_now_)
      ended_ = "the first violation";
    else if (deadline_ && Clock::now() >= *deadline_)
      ended_ = "--duration";
    else if (sources_->failed())
      ended_ = "an error";
    else
      return false;
    return true;
  }

  int describe() {
    if (ended_ == "end of input") ended_ = "an error";
    if (memory_) memory_->lift();
    const Failure failure = describe_current_exception();
    note(failure.drawing);
    return failure.exit_code;
  }

  // Commands first, because writing to standard output may block or fail.
  watch::WatchEngine::Tell teller() {
    return [this](const watch::WatchEngine::Finding& finding) {
      const bool certain = finding.standing == watch::WatchEngine::Standing::Certain;
      const std::string json = json_of(finding);
      actions_.act({json, certain ? "violation" : "suspect"});
      if (certain && actions_.exits()) exits_now_ = true;
      if (shown_ == most_shown_) return;
      ++shown_;
      show(flags_.json ? json : text_of(finding));
    };
  }

  // If standard output is gone, commands still run.
  void show(const std::string& text) {
    if (lost_output_) return;
    try {
      print(text);
    } catch (const OutputError& error) {
      lost_output_ = true;
      note(fmt::format("error: {}; the watch goes on without it", error.what()));
    }
  }

  // Announces the addresses of the socket and the metrics.
  void say_where() const {
    if (watch::is_endpoint(flags_.source)) note(fmt::format("listening  {}", sources_->name()));
    if (metrics_) note(fmt::format("metrics    {}/metrics", metrics_->url()));
  }

  void show_progress() {
    constexpr double kPause = 10;
    if (progress_ == ProgressMode::None || seconds() < next_line_) return;
    next_line_ = seconds() + kPause;
    if (seconds() < kPause) return;
    const watch::WatchState state = engine_.state();
    note(watch::status_line(state, seconds()));
    for (const std::string& name : state.pipeline.idle) note(fmt::format("idle       {}", name));
  }

  watch::HttpResponse answer(std::string_view path) const {
    const watch::WatchState state = engine_.state();
    if (path == "/metrics")
      return {200, "text/plain; version=0.0.4; charset=utf-8", watch::prometheus_text(state)};
    if (path == "/healthz") return health(state, reads_ ? sources_->last_look() : std::nullopt);
    if (path == "/report") {
      watch::WatchSummary now{reads_ ? sources_->name() : flags_.source, verdict_of(state), state, seconds(),
                              "nothing yet"};
      return {200, "application/json", json_of(now)};
    }
    return {404, "text/plain; charset=utf-8", "try /metrics, /healthz or /report\n"};
  }

  // Stuck: a loop that pauses only for milliseconds has not run for ten seconds. This applies to the
  // verifier and to the thread that reads from clients.
  static watch::HttpResponse health(const watch::WatchState& state, std::optional<Clock::time_point> looked) {
    constexpr std::chrono::seconds kStuck{10};
    const Clock::time_point now = Clock::now();
    const bool runs =
        (state.at == Clock::time_point{} || now - state.at < kStuck) && (!looked || now - *looked < kStuck);
    return {runs ? 200 : 503, "application/json",
            fmt::format("{{\"status\":\"{}\",\"violations\":{},\"suspects\":{}}}\n", runs ? "ok" : "stuck",
                        state.violations, state.suspects)};
  }

  static watch::WatchVerdict verdict_of(const watch::WatchState& state) {
    if (state.violations > 0) return watch::WatchVerdict::Violation;
    const std::uint64_t ended =
        state.statistics.committed + state.statistics.aborted + state.statistics.indeterminate;
    const bool is_in_doubt = state.suspects > 0 || state.doubt_count > 0 || state.refused > 0;
    return ended == 0 || is_in_doubt ? watch::WatchVerdict::Unknown : watch::WatchVerdict::Clean;
  }

  watch::WatchSummary summarise(int signal, int code) const {
    watch::WatchSummary summary{sources_->name(), watch::WatchVerdict::Unknown, engine_.state(), seconds(),
                                ended_};
    summary.verdict = verdict_of(summary.state);
    if (code != kHolds && summary.verdict == watch::WatchVerdict::Clean)
      summary.verdict = watch::WatchVerdict::Unknown;
    if (signal != 0) summary.ended = name_of_signal(signal);
    return summary;
  }

  int exit_code_of(watch::WatchVerdict verdict) const {
    if (verdict == watch::WatchVerdict::Violation) return kViolated;
    if (sources_->refused_connections() > 0) return kBadInput;
    return verdict == watch::WatchVerdict::Clean ? kHolds : kUndecided;
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const WatchFlags& flags_;
  ViolationActions actions_;
  const std::uint64_t most_shown_;
  std::uint64_t shown_ = 0;
  ProgressMode progress_;
  Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> deadline_;
  std::optional<MemoryLimit> memory_;
  double next_line_ = 0;
  std::string ended_ = "end of input";
  std::atomic<bool> exits_now_ = false;
  std::atomic<bool> lost_output_ = false;
  std::atomic<bool> reads_ = false;  // `sources_` is set.
  watch::WatchEngine engine_;
  std::optional<watch::WatchSources> sources_;
  std::optional<watch::MetricsServer> metrics_;  // Last, because it reads the others.
};

}  // namespace

Action declare_watch(Arguments& arguments) {
  auto flags = std::make_shared<WatchFlags>();
  arguments.word("SOURCE", flags->source,
                 "A recording, which may grow; - for standard input; a folder of Leopard traces; unix:PATH; "
                 "tcp:[HOST:]PORT");
  arguments.option("-p,--profile", flags->profile,
                   "What the database promises, such as postgres:serializable, or a file [the recording's]",
                   "NAME|FILE");
  arguments.option("-l,--level", flags->level,
                   "Instead of a profile: verify only what this level requires of any database", "LEVEL");
  arguments.option("--clock-error", flags->clock_error, "Maximum error of the clients' clocks [0]", "TIME");
  arguments.option("-t,--duration,--timeout", flags->duration, "Stop after this time [at the end of input]",
                   "TIME");
  arguments.option("--on-violation", flags->on_violation,
                   "At a violation: exit, or exec:COMMAND to run a command; repeatable", "ACTION");
  arguments.option("--action-rate", flags->action_rate, "Run at most N commands per minute; 0: no limit [60]",
                   "N");
  arguments.option("--metrics", flags->metrics, "Serve /metrics, /healthz and /report at [HOST:]PORT",
                   "ADDRESS");
  arguments.flag("--json", flags->json, "Print JSON instead of text, one object per line");
  arguments.option("--max-violations", flags->max_violations,
                   "Print at most N violations [10]; all are counted", "N");
  arguments.option("--threads", flags->threads,
                   "Partition the keys among N threads; the verdict is the same [1]", "N");
  arguments.flag("--follow", flags->follow,
                 "At the end of the file wait for more, even if it is not a recording");
  arguments.flag("--no-follow", flags->no_follow,
                 "Stop at the end of the file, even if it is a recording that may grow");
  arguments.option("--connections", flags->connections,
                   "Stop after N clients have connected and disconnected", "N");
  arguments.flag("--any-interface", flags->any_interface, "Listen on non-loopback interfaces");
  arguments.option("--initial", flags->initial, "The database may hold rows from before the first record",
                   "unknown");
  arguments.option("--idle", flags->idle, "Stop waiting for a silent session after this time [10s]", "TIME");
  arguments.option(
      "--memory-limit", flags->memory_limit,
      "File: limit of the process [80 % of RAM or cgroup]; socket: limit of queued records [64MiB]", "SIZE");
  arguments.option("--progress", flags->progress, "Progress on standard error [auto]", "auto|plain|none");
  return [flags] { return Watch(*flags).go(); };
}

}  // namespace serval::cli
