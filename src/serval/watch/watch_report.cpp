#include "serval/watch/watch_report.h"

#include <array>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "serval/base/json_writer.h"
#include "serval/base/printable.h"
#include "serval/online/online_report.h"
#include "serval/report/json_members.h"
#include "serval/report/quantity.h"

namespace serval::watch {
namespace {

using online::Violation;
using Standing = WatchEngine::Standing;

constexpr std::array<std::string_view, 4> kDependencies{"ww", "wr", "rw", "session"};

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

using Finding = WatchEngine::Finding;

void put_label(JsonWriter& json, const Label& label) {
  label.is_number ? json.number(std::int64_t{std::strtoll(label.text.c_str(), nullptr, 10)})
                  : json.text(label.text);
}

// A transaction and its session, with the application's labels if known.
void put_names(JsonWriter& json, const WatchLabels& labels, std::uint64_t number) {
  json.key("txn").number(number);
  const WatchLabels::Transaction* const transaction = labels.find(number);
  if (transaction == nullptr) return;
  json.key("label");
  put_label(json, transaction->label);
}

void put_session(JsonWriter& json, const WatchLabels& labels, std::uint32_t number) {
  json.key("session");
  const Label* const label = labels.session(number);
  put_label(json, label != nullptr ? *label : Label{std::to_string(number), true});
}

void put_time(JsonWriter& json, Time time) {
  time == kUnknownBegin || time == kUnknownEnd ? json.null() : json.number(time);
}

void put_derivation(JsonWriter& json, const online::Derivation& derivation, const WatchLabels& labels) {
  json.begin_object().key("conclusion").text(derivation.conclusion).key("records").begin_array();
  for (const online::CitedRecord& record : derivation.records) {
    json.begin_object();
    put_names(json, labels, record.transaction);
    if (record.transaction != 0) put_session(json, labels, record.session);
    json.key("action").text(record.action);
    put_time(json.key("begin"), record.time.begin);
    put_time(json.key("end"), record.time.end);
    json.end();
  }
  json.end().end();
}

// A difference of two times.
std::string format_lead(Time nanoseconds) {
  return nanoseconds < 1000 ? fmt::format("{} ns", nanoseconds)
                            : format_seconds(static_cast<double>(nanoseconds) * 1e-9);
}

// T7 "pay-17" (session app-1)
std::string format_who(const online::CitedRecord& record, const WatchLabels& labels) {
  if (record.transaction == 0) return "initially";
  std::string out = fmt::format("T{}", record.transaction);
  const WatchLabels::Transaction* const transaction = labels.find(record.transaction);
  if (transaction != nullptr && transaction->label.text != std::to_string(record.transaction))
    out += fmt::format(" \"{}\"", transaction->label.text);
  const Label* const session = labels.session(record.session);
  return out +
         fmt::format(" (session {})", session != nullptr ? session->text : std::to_string(record.session));
}

void put_counts(JsonWriter& json, const WatchState& state) {
  const online::OnlineStatistics& found = state.statistics;
  json.key("counts").begin_object();
  json.key("committed").number(found.committed).key("aborted").number(found.aborted);
  json.key("indeterminate").number(found.indeterminate).key("operations").number(found.operations);
  json.key("records").number(found.records).key("reads_checked").number(found.reads_checked);
  json.key("reads_ahead").number(found.reads_ahead).key("largest_lead_ns").number(found.largest_lead);
  json.key("keys").number(found.keys).key("versions").number(found.versions).end();
  online::write_dependencies(json, found, kDependencies.back());
}

void put_pipeline(JsonWriter& json, const PipelineStatus& status) {
  json.key("pipeline").begin_object().key("clients").number(std::uint64_t{status.clients});
  json.key("dispatched").number(status.dispatched);
  json.key("waiting_bytes").number(std::uint64_t{status.waiting_bytes});
  json.key("most_waiting_bytes").number(std::uint64_t{status.most_bytes});
  json.key("blocked_times").number(status.blocked_times);
  json.key("blocked_s").number(std::chrono::duration<double>(status.blocked_time).count());
  json.key("held_back_by").text(status.held_back_by);
  json.key("idle_clients").number(std::uint64_t{status.idle_clients});
  put_texts(json, "idle", status.idle);
  json.key("late_transactions").number(status.late_transactions).end();
}

// Metrics with their help and type.
class Metrics {
 public:
  // Samples follow.
  void counter(std::string_view name, std::string_view help) { family(name, "counter", help); }
  void gauge(std::string_view name, std::string_view help) { family(name, "gauge", help); }
  template <class Number>
  void sample(std::string_view labels, Number number) {
    const auto value = static_cast<double>(number);
    const bool whole =
        value >= 0 && value < 1e15 && value == static_cast<double>(static_cast<std::uint64_t>(value));
    text_ += fmt::format(
        "{}{} {}\n", name_, labels,
        whole ? fmt::format("{}", static_cast<std::uint64_t>(value)) : fmt::format("{:.6f}", value));
  }

  // With one sample.
  template <class Number>
  void counter(std::string_view name, Number value, std::string_view help) {
    counter(name, help);
    sample("", value);
  }
  template <class Number>
  void gauge(std::string_view name, Number value, std::string_view help) {
    gauge(name, help);
    sample("", value);
  }
  void by_dependency(const std::array<std::uint64_t, online::kDependencyCount>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      sample(fmt::format("{{kind=\"{}\"}}", kDependencies[i]), counts[i]);
  }
  std::string take() { return std::move(text_); }

 private:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    name_ = name;
  }

  std::string text_;
  std::string_view name_;
};

// The value of a label, escaped for the Prometheus text format.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

// Patterns of certifiers; `own` is yes for the pattern of the database's own certifier.
void put_patterns(Metrics& metrics, const online::OnlineStatistics& found) {
  using online::Certifier;
  metrics.counter("serval_certifier_patterns_total",
                  "Patterns that certifiers of databases look for, among committed transactions.");
  const auto put = [&](std::string_view pattern, std::uint64_t count, Certifier of) {
    const bool own = of != Certifier::None && of == found.certifier;
    metrics.sample(fmt::format("{{pattern=\"{}\",own=\"{}\"}}", pattern, own ? "yes" : "no"), count);
  };
  put("pivot", found.hints.consecutive_anti_dependencies, Certifier::None);
  put("dangerous-structure", found.hints.dangerous_structures, Certifier::SerializableSnapshot);
  put("against-commit-order", found.hints.against_commit_order, Certifier::TimestampOrder);
  put("overwritten-read", found.hints.overwritten_reads, Certifier::Optimistic);
  put("concurrent-write", found.hints.concurrent_writes, Certifier::Percolator);
}

void put_findings(Metrics& metrics, const WatchState& state) {
  metrics.counter("serval_violations_total", state.violations,
                  "Certain contradictions to what the profile promises.");
  metrics.counter("serval_suspects_total", state.suspects,
                  "Contradictions that a client whose records are missing may explain.");
  metrics.counter("serval_anomalies_total",
                  "Contradictions by anomaly and by the mechanism that found them.");
  for (const auto& [what, count] : state.found)
    for (const auto& [standing, number] :
         {std::pair{"violation", count.violations}, std::pair{"suspect", count.suspects}})
      metrics.sample(fmt::format("{{type=\"{}\",mechanism=\"{}\",level=\"{}\",standing=\"{}\"}}",
                                 serval::name_of(what.first), name_of(what.second), state.level, standing),
                     number);
  metrics.counter("serval_dependencies_total", "Dependencies between transactions that were deduced.");
  metrics.by_dependency(state.statistics.deduced);
  metrics.counter("serval_uncertain_dependencies_total", "Dependencies that the intervals leave open.");
  metrics.by_dependency(state.statistics.uncertain);
  metrics.counter("serval_overlapping_dependencies_total",
                  "Dependencies of overlapping intervals, deduced nevertheless or left open.");
  metrics.by_dependency(state.statistics.overlapping);
  put_patterns(metrics, state.statistics);
}

void put_flow(Metrics& metrics, const WatchState& state) {
  const PipelineStatus& pipeline = state.pipeline;
  metrics.counter("serval_history_bytes_total", state.bytes, "Bytes received.");
  metrics.counter("serval_records_total", pipeline.dispatched, "Records passed on to the verifier.");
  metrics.gauge("serval_clients", "Sessions that records come from.");
  metrics.sample("{state=\"open\"}", pipeline.open_clients);
  metrics.sample("{state=\"idle\"}", pipeline.idle_clients);
  metrics.gauge("serval_idle_client", "Some of the sessions that are considered idle, by name.");
  for (const std::string& name : pipeline.idle)
    metrics.sample(fmt::format("{{client=\"{}\"}}", escaped(name)), 1);
  metrics.counter("serval_late_transactions_total", pipeline.late_transactions,
                  "Transactions that came too late to be judged.");
  metrics.counter("serval_refused_connections_total", state.refused,
                  "Connections that sent garbage or held too much memory.");
  metrics.gauge("serval_pipeline_waiting_bytes", pipeline.waiting_bytes, "Bytes of waiting records.");
  metrics.counter("serval_pipeline_blocked_seconds_total",
                  std::chrono::duration<double>(pipeline.blocked_time).count(),
                  "Time that sources waited for the verifier.");
  metrics.gauge("serval_check_lag_seconds", state.lag_seconds,
                "Age of the oldest record that has not been judged.");
  metrics.counter("serval_doubts_total", state.doubt_count,
                  "Clients whose last records are missing, and transactions that came too late.");
}

}  // namespace

std::string_view name_of(WatchVerdict verdict) {
  constexpr std::array<std::string_view, 3> kNames{"clean", "violation", "unknown"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string text_of(const Finding& finding) {
  const Violation& violation = finding.violation;
  std::string text =
      fmt::format("{}  {}, found by {}\n", finding.standing == Standing::Certain ? "violation" : "suspect  ",
                  serval::name_of(violation.kind), name_of(violation.mechanism));
  if (!finding.because.empty()) text += fmt::format("  in doubt: {}\n", printable(finding.because));
  return text + violation.format(
                    [&](const online::CitedRecord& record) { return format_who(record, finding.labels); });
}

std::string headline_of(const Finding& finding) {
  const Violation& violation = finding.violation;
  std::vector<std::string> names;
  for (const std::uint64_t t : violation.transactions) names.push_back(fmt::format("T{}", t));
  return fmt::format("{}{}{}, found by {}: {}", serval::name_of(violation.kind),
                     violation.key.empty() ? "" : " at ", printable(violation.key),
                     name_of(violation.mechanism), fmt::join(names, ", "));
}

std::string json_of(const Finding& finding) {
  const Violation& violation = finding.violation;
  JsonWriter json;
  json.begin_object().key("event").text(finding.standing == Standing::Certain ? "violation" : "suspect");
  if (!finding.because.empty()) json.key("because").text(finding.because);
  json.key("type").text(serval::name_of(violation.kind)).key("mechanism").text(name_of(violation.mechanism));
  json.key("key").text(violation.key).key("txns").begin_array();
  for (const std::uint64_t transaction : violation.transactions) json.number(transaction);
  json.end().key("transactions").begin_array();
  for (const std::uint64_t number : violation.transactions) {
    json.begin_object();
    put_names(json, finding.labels, number);
    if (const auto* const transaction = finding.labels.find(number))
      put_session(json, finding.labels, transaction->session);
    json.end();
  }
  json.end().key("first");
  put_derivation(json, violation.first, finding.labels);
  json.key("second");
  put_derivation(json, violation.second, finding.labels);
  return json.end().take() + "\n";
}

std::string status_line(const WatchState& state, double seconds) {
  std::string line = fmt::format(
      "{:.0f} s   {} checked   {} in memory", seconds,
      format_count(state.statistics.committed + state.statistics.aborted + state.statistics.indeterminate,
                   "txn"),
      format_count(state.statistics.versions, "version"));
  line += state.violations == 0 ? "   no violation"
                                : fmt::format("   {}", format_count(state.violations, "violation"));
  if (state.suspects > 0) line += fmt::format("   {}", format_count(state.suspects, "suspect"));
  if (state.lag_seconds > 1) line += fmt::format("   {} behind", format_seconds(state.lag_seconds));
  if (!state.pipeline.held_back_by.empty() && state.lag_seconds > 1)
    line += fmt::format(", waiting for {}", state.pipeline.held_back_by);
  if (state.pipeline.is_blocking) line += "   sources wait";
  return line;
}

std::string text_of(const WatchSummary& summary) {
  const WatchState& state = summary.state;
  const online::OnlineStatistics& found = state.statistics;
  const char* const word = summary.verdict == WatchVerdict::Clean       ? "CLEAN"
                           : summary.verdict == WatchVerdict::Violation ? "VIOLATION"
                                                                        : "UNKNOWN";
  std::string text =
      fmt::format("{} {} {}\n", word, printable(summary.source), state.profile.empty() ? "-" : state.profile);
  text += fmt::format("  {} ({} committed, {} aborted, {} indeterminate)   {}   {}   {}\n",
                      format_count(found.committed + found.aborted + found.indeterminate, "txn"),
                      format_count(found.committed), format_count(found.aborted),
                      format_count(found.indeterminate), format_count(state.sessions, "session"),
                      format_count(found.operations, "op"), format_count(found.keys, "key"));
  const std::uint64_t uncertain = found.uncertain[0] + found.uncertain[1] + found.uncertain[2];
  text += fmt::format("  {} certain, {} suspect   {} checked   {} {} left uncertain\n",
                      format_count(state.violations, "violation"), format_count(state.suspects),
                      format_count(found.reads_checked, "read"), format_count(uncertain),
                      uncertain == 1 ? "dependency" : "dependencies");
  text += fmt::format("  overlaps   {}\n", overlap_words(found));
  if (const std::string words = certifier_words(found); !words.empty())
    text += fmt::format("  certifier  {}\n", words);
  if (found.reads_ahead > 0)
    text += fmt::format(
        "  clocks     {} saw what began to be committed up to {} later; if clients' clocks disagree, "
        "--clock-error {}ns allows for it\n",
        format_count(found.reads_ahead, "read"), format_lead(found.largest_lead), found.largest_lead / 2 + 1);
  for (const std::string& doubt : state.doubts) text += fmt::format("  missed     {}\n", printable(doubt));
  if (state.refused > 0) text += fmt::format("  refused    {}\n", format_count(state.refused, "connection"));
  text += fmt::format("  time       {}   memory {}   ended by {}\n", format_seconds(summary.seconds),
                      format_bytes(resident_bytes()), summary.ended);
  if (state.pipeline.blocked_times > 0)
    text += fmt::format("  pressure   sources waited {}, {} in all\n",
                        format_count(state.pipeline.blocked_times, "time"),
                        format_seconds(std::chrono::duration<double>(state.pipeline.blocked_time).count()));
  return text;
}

std::string json_of(const WatchSummary& summary) {
  JsonWriter json;
  json.begin_object().key("event").text("summary").key("schema").text("serval.watch/1");
  json.key("source").text(summary.source).key("verdict").text(name_of(summary.verdict));
  json.key("profile").text(summary.state.profile).key("level").text(summary.state.level);
  json.key("violations").number(summary.state.violations).key("suspects").number(summary.state.suspects);
  put_counts(json, summary.state);
  put_pipeline(json, summary.state.pipeline);
  put_texts(json, "doubts", summary.state.doubts);
  json.key("refused_connections").number(summary.state.refused);
  json.key("ended").text(summary.ended).key("time_s").number(summary.seconds);
  json.key("rss_bytes").number(resident_bytes());
  return json.end().take() + "\n";
}

std::string prometheus_text(const WatchState& state) {
  Metrics metrics;
  metrics.gauge("serval_build_info", "The version of serval.");
  metrics.sample(fmt::format("{{version=\"{}\",profile=\"{}\"}}", SERVAL_VERSION, state.profile), 1);
  metrics.counter("serval_transactions_total", "Transactions that ended, by outcome.");
  metrics.sample("{outcome=\"committed\"}", state.statistics.committed);
  metrics.sample("{outcome=\"aborted\"}", state.statistics.aborted);
  metrics.sample("{outcome=\"indeterminate\"}", state.statistics.indeterminate);
  metrics.counter("serval_operations_total", state.statistics.operations, "Operations seen.");
  put_findings(metrics, state);
  put_flow(metrics, state);
  metrics.gauge("serval_window_transactions", state.statistics.open_transactions,
                "Transactions that are open or not yet judged.");
  metrics.gauge("serval_versions", state.statistics.versions, "Versions of keys in memory.");
  metrics.gauge("serval_memory_bytes", resident_bytes(), "Resident memory.");
  return metrics.take();
}

}  // namespace serval::watch
