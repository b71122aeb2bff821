#include "watch_report.h"

#include <array>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "serval/base/json_writer.h"
#include "serval/report/quantity.h"

namespace serval::cli {
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

void put_derivation(JsonWriter& json, const online::Derivation& derivation) {
  json.begin_object().key("conclusion").text(derivation.conclusion).key("records").begin_array();
  for (const online::CitedRecord& record : derivation.records) {
    json.begin_object()
        .key("txn")
        .number(record.transaction)
        .key("session")
        .number(std::uint64_t{record.session});
    json.key("action").text(record.action);
    json.key("begin").number(record.time.begin).key("end");
    record.time.end == kUnknownEnd ? json.null() : json.number(record.time.end);
    json.end();
  }
  json.end().end();
}

void put_counts(JsonWriter& json, const WatchState& state) {
  const online::OnlineStatistics& found = state.statistics;
  json.key("counts").begin_object();
  json.key("committed").number(found.committed).key("aborted").number(found.aborted);
  json.key("indeterminate").number(found.indeterminate).key("operations").number(found.operations);
  json.key("records").number(found.records).key("reads_checked").number(found.reads_checked);
  json.key("reads_ahead").number(found.reads_ahead).key("largest_lead_ns").number(found.largest_lead);
  json.key("keys").number(found.keys).key("versions").number(found.versions).end();
  json.key("dependencies").begin_object();
  for (std::size_t i = 0; i < found.deduced.size(); ++i) {
    json.key(kDependencies[i]).begin_object().key("deduced").number(found.deduced[i]);
    json.key("uncertain").number(found.uncertain[i]).end();
  }
  json.end();
}

void put_pipeline(JsonWriter& json, const PipelineStatus& status) {
  json.key("pipeline").begin_object().key("clients").number(std::uint64_t{status.clients});
  json.key("dispatched").number(status.dispatched);
  json.key("waiting_bytes").number(std::uint64_t{status.waiting_bytes});
  json.key("most_waiting_bytes").number(std::uint64_t{status.most_bytes});
  json.key("blocked_times").number(status.blocked_times);
  json.key("blocked_s").number(std::chrono::duration<double>(status.blocked_time).count());
  json.key("held_back_by").text(status.held_back_by).key("idle").begin_array();
  for (const std::string& name : status.idle) json.text(name);
  json.end().end();
}

// One metric with its help and type.
class Metrics {
 public:
  Metrics& family(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    name_ = name;
    return *this;
  }
  Metrics& sample(std::string_view labels, double value) {
    const bool whole =
        value >= 0 && value < 1e15 && value == static_cast<double>(static_cast<std::uint64_t>(value));
    text_ += fmt::format(
        "{}{} {}\n", name_, labels,
        whole ? fmt::format("{}", static_cast<std::uint64_t>(value)) : fmt::format("{:.6f}", value));
    return *this;
  }
  Metrics& sample(std::string_view labels, std::uint64_t value) {
    return sample(labels, static_cast<double>(value));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string_view name_;
};

void put_findings(Metrics& metrics, const WatchState& state) {
  metrics.family("serval_violations_total", "counter",
                 "Contradictions to what the profile promises, certain ones.");
  metrics.sample("", state.violations);
  metrics.family("serval_suspects_total", "counter", "Contradictions found after something was missed.");
  metrics.sample("", state.suspects);
  metrics.family("serval_anomalies_total", "counter", "Contradictions by the mechanism that found them.");
  for (std::size_t i = 0; i < online::kMechanismCount; ++i)
    metrics.sample(fmt::format("{{mechanism=\"{}\",level=\"{}\"}}",
                               name_of(static_cast<online::Mechanism>(i)), state.level),
                   state.statistics.violations[i]);
  metrics.family("serval_dependencies_total", "counter",
                 "Dependencies between transactions that were deduced.");
  for (std::size_t i = 0; i < state.statistics.deduced.size(); ++i)
    metrics.sample(fmt::format("{{kind=\"{}\"}}", kDependencies[i]), state.statistics.deduced[i]);
  metrics.family("serval_uncertain_dependencies_total", "counter",
                 "Dependencies that the intervals leave open.");
  for (std::size_t i = 0; i < state.statistics.uncertain.size(); ++i)
    metrics.sample(fmt::format("{{kind=\"{}\"}}", kDependencies[i]), state.statistics.uncertain[i]);
}

void put_flow(Metrics& metrics, const WatchState& state) {
  const PipelineStatus& pipeline = state.pipeline;
  metrics.family("serval_history_bytes_total", "counter", "Bytes taken in.").sample("", state.bytes);
  metrics.family("serval_records_total", "counter", "Records passed on to the verifier.")
      .sample("", pipeline.dispatched);
  metrics.family("serval_clients", "gauge", "Sessions that records come from.");
  metrics.sample("{state=\"open\"}", std::uint64_t{pipeline.open_clients});
  metrics.sample("{state=\"idle\"}", std::uint64_t{pipeline.idle.size()});
  metrics.family("serval_pipeline_waiting_bytes", "gauge", "Bytes of records that wait for their turn.");
  metrics.sample("", std::uint64_t{pipeline.waiting_bytes});
  metrics.family("serval_pipeline_blocked_seconds_total", "counter",
                 "Time that sources waited for the verifier.");
  metrics.sample("", std::chrono::duration<double>(pipeline.blocked_time).count());
  metrics.family("serval_check_lag_seconds", "gauge", "How long records have been waiting.");
  metrics.sample("", state.lag_seconds);
  metrics.family("serval_doubts_total", "counter", "Clients whose last records are missing.");
  metrics.sample("", std::uint64_t{state.doubts.size()});
}

}  // namespace

std::string_view name_of(WatchVerdict verdict) {
  switch (verdict) {
    case WatchVerdict::Clean:
      return "clean";
    case WatchVerdict::Violation:
      return "violation";
    case WatchVerdict::Unknown:
      return "unknown";
  }
  return {};
}

std::string text_of(const Violation& violation, Standing standing) {
  std::string text =
      fmt::format("{}  {}, found by {}\n", standing == Standing::Certain ? "violation" : "suspect  ",
                  serval::name_of(violation.kind), name_of(violation.mechanism));
  text += violation.spell();
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string json_of(const Violation& violation, Standing standing) {
  JsonWriter json;
  json.begin_object().key("event").text(standing == Standing::Certain ? "violation" : "suspect");
  json.key("type").text(serval::name_of(violation.kind)).key("mechanism").text(name_of(violation.mechanism));
  json.key("key").text(violation.key).key("txns").begin_array();
  for (const std::uint64_t transaction : violation.transactions) json.number(transaction);
  json.end().key("first");
  put_derivation(json, violation.first);
  json.key("second");
  put_derivation(json, violation.second);
  return json.end().take() + "\n";
}

std::string status_line(const WatchState& state, double seconds) {
  std::string line = fmt::format(
      "{:.0f} s   {} checked   {} in memory", seconds,
      spell_count(state.statistics.committed + state.statistics.aborted + state.statistics.indeterminate,
                  "txn"),
      spell_count(state.statistics.versions, "version"));
  line += state.violations == 0 ? "   no violation"
                                : fmt::format("   {}", spell_count(state.violations, "violation"));
  if (state.suspects > 0) line += fmt::format("   {}", spell_count(state.suspects, "suspect"));
  if (state.lag_seconds > 1) line += fmt::format("   {} behind", spell_seconds(state.lag_seconds));
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
      fmt::format("{} {} {}\n", word, summary.source, state.profile.empty() ? "-" : state.profile);
  text += fmt::format("  {} ({} committed, {} aborted, {} indeterminate)   {}   {}   {}\n",
                      spell_count(found.committed + found.aborted + found.indeterminate, "txn"),
                      spell_count(found.committed), spell_count(found.aborted),
                      spell_count(found.indeterminate), spell_count(state.sessions, "session"),
                      spell_count(found.operations, "op"), spell_count(found.keys, "key"));
  text += fmt::format(
      "  {} certain, {} suspect   {} reads checked   {} left uncertain\n",
      spell_count(state.violations, "violation"), spell_count(state.suspects),
      spell_count(found.reads_checked),
      spell_count(found.uncertain[0] + found.uncertain[1] + found.uncertain[2], "dependenc") == "1 dependenc"
          ? "1 dependency"
          : spell_count(found.uncertain[0] + found.uncertain[1] + found.uncertain[2]) + " dependencies");
  if (found.reads_ahead > 0)
    text += fmt::format(
        "  clocks     {} saw what began to be committed up to {} later; if clients' clocks disagree, "
        "--clock-error {}ns allows for it\n",
        spell_count(found.reads_ahead, "read"), spell_seconds(static_cast<double>(found.largest_lead) * 1e-9),
        found.largest_lead / 2 + 1);
  for (const std::string& doubt : state.doubts) text += fmt::format("  missed     {}\n", doubt);
  text += fmt::format("  time       {}   memory {}   ended by {}\n", spell_seconds(summary.seconds),
                      spell_bytes(resident_bytes()), summary.ended);
  if (state.pipeline.blocked_times > 0)
    text += fmt::format("  pressure   sources waited {} times, {} in all\n",
                        spell_count(state.pipeline.blocked_times),
                        spell_seconds(std::chrono::duration<double>(state.pipeline.blocked_time).count()));
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
  json.key("doubts").begin_array();
  for (const std::string& doubt : summary.state.doubts) json.text(doubt);
  json.end().key("ended").text(summary.ended).key("time_s").number(summary.seconds);
  json.key("rss_bytes").number(resident_bytes());
  return json.end().take() + "\n";
}

std::string prometheus_text(const WatchState& state) {
  Metrics metrics;
  metrics.family("serval_build_info", "gauge", "The version of serval.");
  metrics.sample(fmt::format("{{version=\"{}\",profile=\"{}\"}}", SERVAL_VERSION, state.profile),
                 std::uint64_t{1});
  metrics.family("serval_transactions_total", "counter", "Transactions that ended, by outcome.");
  metrics.sample("{outcome=\"committed\"}", state.statistics.committed);
  metrics.sample("{outcome=\"aborted\"}", state.statistics.aborted);
  metrics.sample("{outcome=\"indeterminate\"}", state.statistics.indeterminate);
  metrics.family("serval_operations_total", "counter", "Operations seen.")
      .sample("", state.statistics.operations);
  put_findings(metrics, state);
  put_flow(metrics, state);
  metrics.family("serval_window_transactions", "gauge", "Transactions that are open or not yet judged.");
  metrics.sample("", state.statistics.open_transactions);
  metrics.family("serval_versions", "gauge", "Versions of keys in memory.")
      .sample("", state.statistics.versions);
  metrics.family("serval_memory_bytes", "gauge", "Resident memory.").sample("", resident_bytes());
  return metrics.take();
}

}  // namespace serval::cli
