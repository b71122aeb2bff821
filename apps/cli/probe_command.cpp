// serval probe: a matrix of the anomalies that a database permits at each isolation.

#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "exit_code.h"
#include "interruption.h"
#include "output.h"
#include "probe_expectation.h"
#include "probe_profile.h"
#include "quantities.h"
#include "serval/base/error.h"
#include "serval/base/json_writer.h"
#include "serval/database/probe/probe.h"
#include "serval/levels/anomaly.h"
#include "serval/levels/level.h"
#include "tables.h"
#include "verb.h"
#include "writing.h"

namespace serval::cli {
namespace {

using Result = ProbeCell::Result;

struct Interrupted {};  // By a signal. The tables are dropped and nothing is printed.

struct ProbeFlags {
  std::string address;
  std::vector<std::string> isolations, nodes;
  std::string expect, patience = "300ms";
  std::string write_profile;
  bool json = false, force = false;
};

ProbeOptions options_of(const ProbeFlags& flags) {
  ProbeOptions options{.isolations = flags.isolations, .nodes = flags.nodes};
  options.patience =
      std::chrono::duration_cast<std::chrono::milliseconds>(parse_duration("--patience", flags.patience));
  if (!flags.write_profile.empty()) options.more = mechanism_probes();
  options.progress = [](std::string_view, std::string_view) {
    if (caught_signal() != 0) throw Interrupted{};
  };
  return options;
}

// A bad address or isolation is an error of the command line, not of a file.
std::vector<ProbeRow> probe(const ProbeFlags& flags) {
  try {
    return probe_database(flags.address, options_of(flags));
  } catch (const InputError& error) {
    throw UsageError(error.problem(), error.hint());
  }
}

// "rocksdb 7.8.3, kind optimistic"
std::string headline(std::map<std::string, std::string> facts) {
  std::string out = facts["database"] + " " + facts["version"];
  for (const auto& [name, value] : facts)
    if (name != "database" && name != "version" && name != "isolation" && name != "promises")
      out += fmt::format(", {} {}", name, value);
  return out;
}

std::string format(const ProbeCell& cell) {
  return cell.result == Result::Prevented ? "✓" : std::string(name_of(cell.result));
}

// Whether the promised level forbids the anomaly. The two with predicates have no AnomalyKind of their
// own.
bool forbids_probed(Level level, std::string_view anomaly) {
  if (anomaly == "PMP")
    return implies(level, Level::SnapshotIsolation) || implies(level, Level::Serializable);
  if (anomaly == "G2") return implies(level, Level::Serializable);
  static const std::map<std::string_view, AnomalyKind> kKinds{
      {"G0", AnomalyKind::DirtyWrite},        {"G1a", AnomalyKind::AbortedRead},
      {"G1b", AnomalyKind::IntermediateRead}, {"G1c", AnomalyKind::CyclicInformationFlow},
      {"OTV", AnomalyKind::NonMonotonicRead}, {"P4", AnomalyKind::LostUpdate},
      {"G-single", AnomalyKind::ReadSkew},    {"G2-item", AnomalyKind::WriteSkew}};
  return forbids(level, kKinds.at(anomaly));
}

std::string promise_of(const ProbeFlags& flags, const ProbeRow& row) {
  return serval::promise_of(choose_isolation(driver_of(flags.address), row.isolation), row.facts);
}

// The anomalies that happened although the promised level forbids them.
std::vector<std::string_view> broken_promises(const ProbeFlags& flags, const ProbeRow& row) {
  const std::optional<Level> level = find_level(promise_of(flags, row));
  std::vector<std::string_view> out;
  for (std::size_t i = 0; level && i < row.cells.size(); ++i) {
    const std::string_view anomaly = all_probe_anomalies()[i].name;
    if (row.cells[i].result == Result::Happens && forbids_probed(*level, anomaly)) out.push_back(anomaly);
  }
  return out;
}

std::string text_of(const ProbeFlags& flags, const std::vector<ProbeRow>& rows) {
  std::vector<std::vector<std::string>> table{{"isolation"}};
  bool any_lacks = false, any_blocked = false;
  for (const ProbeAnomaly& anomaly : all_probe_anomalies()) table[0].emplace_back(anomaly.name);
  for (const ProbeRow& row : rows) {
    table.push_back({row.isolation});
    for (const ProbeCell& cell : row.cells) {
      table.back().push_back(format(cell));
      any_lacks |= cell.result == Result::NotApplicable;
      any_blocked |= cell.result == Result::Blocked;
    }
  }
  std::string out = headline(rows.front().facts) + "\n" + aligned(table, 200);
  out += "✓ prevented in this schedule";
  if (any_blocked) out += "   blocked: a client waited until the end";
  if (any_lacks) out += "   n/a: needs ranges";
  out += "\n";
  for (const ProbeRow& row : rows)
    if (const auto broken = broken_promises(flags, row); !broken.empty())
      out += fmt::format("{} promises {}, which forbids {}\n", row.isolation, promise_of(flags, row),
                         fmt::join(broken, ", "));
  out += "\n";
  std::vector<std::vector<std::string>> legend;
  for (const ProbeAnomaly& anomaly : all_probe_anomalies())
    legend.push_back({std::string(anomaly.name), std::string(anomaly.description)});
  return out + aligned(legend);
}

void write_cell(JsonWriter& json, const ProbeCell& cell) {
  json.begin_object().key("result").text(name_of(cell.result)).key("waited").boolean(cell.waited);
  json.key("refused");
  cell.refused ? json.text(name_of(*cell.refused)) : json.null();
  json.end();
}

std::string json_of(const ProbeFlags& flags, const std::vector<ProbeRow>& rows) {
  const std::span<const ProbeAnomaly> anomalies = all_probe_anomalies();
  JsonWriter json;
  json.begin_object().key("schema").text("serval.probe/1").key("rows").begin_array();
  for (const ProbeRow& row : rows) {
    json.begin_object().key("isolation").text(row.isolation).key("cells").begin_object();
    for (std::size_t i = 0; i < anomalies.size(); ++i) {
      json.key(anomalies[i].name);
      write_cell(json, row.cells[i]);
    }
    json.end().key("promises").text(promise_of(flags, row)).key("broken_by").begin_array();
    for (const std::string_view anomaly : broken_promises(flags, row)) json.text(anomaly);
    json.end().key("facts").begin_object();
    for (const auto& [name, value] : row.facts) json.key(name).text(value);
    json.end().end();
  }
  return json.end().end().take() + "\n";
}

int compare(const ProbeFlags& flags, const ProbeExpectation& expected, const std::vector<ProbeRow>& rows) {
  const std::vector<std::string> differences =
      differences_from(expected, rows, flags.isolations.empty() ? Rows::All : Rows::Chosen);
  for (const std::string& difference : differences) note(difference);
  note(differences.empty() ? fmt::format("as expected by {}", flags.expect)
                           : fmt::format("{} differences from {}", differences.size(), flags.expect));
  return differences.empty() ? kHolds : kViolated;
}

// Before the probe, which takes a while.
void require_profile_file(const ProbeFlags& flags) {
  if (flags.write_profile.empty()) return;
  if (flags.isolations.size() != 1 && driver_of(flags.address).isolations.size() != 1)
    throw UsageError("--write-profile needs one isolation", "-i NAME; serval drivers lists them");
  if (flags.isolations.size() > 1)
    throw UsageError("--write-profile needs one isolation", "leave out all but one -i");
  require_writable(flags.write_profile, flags.force ? Overwrite::Allow : Overwrite::Refuse);
}

void write_profile_of(const ProbeFlags& flags, const ProbeRow& row) {
  if (flags.write_profile.empty()) return;
  write_file(flags.write_profile,
             probed_profile_text(row, flags.nodes.empty() ? ProbedNodes::One : ProbedNodes::Several));
  note(fmt::format("wrote      {}   serval watch … --profile {}", flags.write_profile, flags.write_profile));
}

int run_probe(const ProbeFlags& flags) {
  require_profile_file(flags);
  const std::optional<ProbeExpectation> expected =
      flags.expect.empty() ? std::nullopt : std::optional(read_probe_expectation(flags.expect));
  catch_signals();
  try {
    const std::vector<ProbeRow> rows = probe(flags);
    print(flags.json ? json_of(flags, rows) : text_of(flags, rows));
    write_profile_of(flags, rows.front());
    return expected ? compare(flags, *expected, rows) : static_cast<int>(kHolds);
  } catch (const Interrupted&) {
    return 128 + caught_signal();
  }
}

}  // namespace

Action declare_probe(Arguments& arguments) {
  auto flags = std::make_shared<ProbeFlags>();
  arguments.word("DSN", flags->address, "The database: rocksdb:, sqlite:FILE, postgres://HOST/DATABASE, …");
  arguments.option("-i,--isolation", flags->isolations, "Probe only this isolation; repeatable", "NAME");
  arguments.option("--node", flags->nodes, "Another address of the same database; repeatable", "DSN");
  arguments.option("--patience", flags->patience, "A step that takes longer counts as blocked", "TIME");
  arguments.option("--expect", flags->expect,
                   "Exit with 1 unless the matrix equals the one in FILE, saved with --json", "FILE");
  arguments.option("--write-profile", flags->write_profile,
                   "Write what one isolation kept as a profile for the mirror (--profile FILE)", "FILE");
  arguments.flag("--force", flags->force, "Overwrite the file of --write-profile");
  arguments.flag("--json", flags->json, "One JSON object instead of text");
  return [flags] { return run_probe(*flags); };
}

}  // namespace serval::cli
