// serval workloads: the workloads, and the bugs and anomalies of serval gen; or one workload with its
// parameters, tables and databases.

#include <memory>

#include <fmt/format.h>

#include "exit_code.h"
#include "output.h"
#include "serval/base/error.h"
#include "serval/base/json_writer.h"
#include "serval/base/nearest_names.h"
#include "serval/database/database.h"
#include "serval/database/simulated/simulate.h"
#include "serval/workload/workload.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

bool is_simulated(const WorkloadInfo& row) { return row.form == WorkloadInfo::Form::Plans || row.plans_rows; }

std::vector<std::string_view> drivers_of(const WorkloadInfo& row) {
  std::vector<std::string_view> names;
  for (const DriverInfo& driver : all_drivers())
    if (driver.has_ranges || !row.needs_ranges) names.push_back(driver.name);
  return names;
}

template <class Row>
Rows rows_of(std::span<const Row> table) {
  Rows rows;
  for (const Row& row : table) rows.push_back({std::string(row.name), std::string(row.description)});
  return rows;
}

std::string table() {
  Rows planned, scripted;
  for (const WorkloadInfo& row : all_workloads())
    (is_simulated(row) ? planned : scripted).push_back({std::string(row.name), std::string(row.description)});
  return "serval workloads NAME shows the parameters, tables and databases of a workload.\n\n"
         "Workloads (-w NAME:parameter=value,…):\n" +
         aligned(planned) + "\nWorkloads for serval run only:\n" + aligned(scripted) +
         "\nKeys (--distribution NAME:parameter=value,…):\n" + aligned(rows_of(all_key_distributions())) +
         "\nLevels of the simulated database (serval gen --level):\n" +
         aligned(rows_of(all_simulated_levels())) +
         "\nBugs (serval gen --bug NAME:probability=0.1,limit=1):\n" +
         aligned(rows_of(all_simulated_bugs())) + "\nAnomalies to plant (serval gen --plant):\n" +
         aligned(rows_of(all_planted_anomalies())) + "\nAnomalies to plant among rows (predicate-mix):\n" +
         aligned(rows_of(all_planted_rows()));
}

std::string format_range(const ParameterInfo& parameter) {
  return fmt::format("{} to {}", parameter.least, parameter.greatest);
}

std::string parameter_lines(const WorkloadInfo& row) {
  if (row.parameters.empty()) return "\nNo parameters.\n";
  Rows rows{{"parameter", "default", "range", "meaning"}};
  for (const ParameterInfo& parameter : row.parameters)
    rows.push_back({std::string(parameter.name), fmt::format("{}", parameter.default_value),
                    format_range(parameter), std::string(parameter.description)});
  return fmt::format("\nParameters (-w {}:{}=…):\n", row.name, row.parameters.front().name) + aligned(rows);
}

std::string format_columns(const TableInfo& table) {
  if (table.holds == TableInfo::Holds::Lists) return "a list of tags per key";
  std::string out = "key, tag";
  for (const ColumnInfo& column : table.columns)
    out += fmt::format(", {}{}", column.name, column.indexed ? " (indexed)" : "");
  return out;
}

std::uint64_t first_rows_of(const TableInfo& table) {
  const bool full = table.initial == TableInfo::Initial::Zero && table.holds == TableInfo::Holds::Registers;
  return full ? table.rows : 0;
}

// If there are more, the tables of a workload are all the same, and only the first is shown.
constexpr std::size_t kMostTables = 12;

std::string table_lines(const WorkloadInfo& row) {
  const Schema schema = make_workload(row.name, KeyRequest{}).generator->schema();
  Rows rows{{"table", "rows at the start", "columns"}};
  for (const TableInfo& table : schema) {
    if (rows.size() == 2 && schema.size() > kMostTables) {
      rows.push_back({"…", "", fmt::format("{} more like it", schema.size() - 1)});
      break;
    }
    rows.push_back({table.name, fmt::format("{}", first_rows_of(table)), format_columns(table)});
  }
  const std::string keys = row.keys == 0
                               ? std::string("their sizes follow from the parameters")
                               : fmt::format("{} keys by default, chosen {}", row.keys, row.distribution);
  return fmt::format("\nTables ({}):\n", keys) + aligned(rows);
}

std::string page(const WorkloadInfo& row) {
  std::string out = paragraph(fmt::format("{}: {}", row.name, row.description));
  if (!row.aliases.empty()) out += fmt::format("Also called {}.\n", fmt::join(row.aliases, ", "));
  out += parameter_lines(row) + table_lines(row);
  out += "\n" + paragraph(fmt::format("Runs on {}{}.", fmt::join(drivers_of(row), ", "),
                                      is_simulated(row) ? ", and in serval gen" : ""));
  if (row.needs_ranges) out += "Needs ranges, which key-value stores do not have.\n";
  out += fmt::format("\nExample:\n  serval run sqlite: -w {}\n", row.name);
  if (is_simulated(row)) out += fmt::format("  serval gen -w {} -o history.jsonl\n", row.name);
  return out;
}

void write_schema(JsonWriter& json, const Schema& schema) {
  json.key("tables").begin_array();
  for (const TableInfo& table : schema) {
    json.begin_object().key("name").text(table.name);
    json.key("rows").number(first_rows_of(table));
    json.key("lists").boolean(table.holds == TableInfo::Holds::Lists);
    json.key("columns").begin_array();
    for (const ColumnInfo& column : table.columns) json.text(column.name);
    json.end().end();
  }
  json.end();
}

void write_words(JsonWriter& json, std::string_view name, const std::vector<std::string_view>& words) {
  json.key(name).begin_array();
  for (const std::string_view word : words) json.text(word);
  json.end();
}

// The members that the list and the page share; the object stays open.
void write_front(JsonWriter& json, const WorkloadInfo& row) {
  json.begin_object().key("name").text(row.name).key("description").text(row.description);
  write_words(json, "aliases", row.aliases);
  json.key("simulated").boolean(is_simulated(row)).key("needs_ranges").boolean(row.needs_ranges);
  write_words(json, "drivers", drivers_of(row));
  json.key("keys").number(row.keys).key("distribution").text(row.distribution);
}

void write_page(JsonWriter& json, const WorkloadInfo& row) {
  write_front(json, row);
  json.key("parameters").begin_array();
  for (const ParameterInfo& parameter : row.parameters) {
    json.begin_object().key("name").text(parameter.name).key("description").text(parameter.description);
    json.key("default").number(parameter.default_value);
    json.key("least").number(parameter.least).key("greatest").number(parameter.greatest);
    json.key("whole").boolean(parameter.number == ParameterInfo::Number::Whole).end();
  }
  json.end();
  write_schema(json, make_workload(row.name, KeyRequest{}).generator->schema());
  json.key("example").text(fmt::format("serval run sqlite: -w {}", row.name)).end();
}

template <class Row>
void write_rows(JsonWriter& json, std::string_view name, std::span<const Row> table) {
  json.key(name).begin_array();
  for (const Row& row : table)
    json.begin_object().key("name").text(row.name).key("description").text(row.description).end();
  json.end();
}

void write_table(JsonWriter& json) {
  json.begin_object().key("workloads").begin_array();
  for (const WorkloadInfo& row : all_workloads()) {
    write_front(json, row);
    json.key("parameters").begin_object();
    for (const ParameterInfo& parameter : row.parameters)
      json.key(parameter.name).number(parameter.default_value);
    json.end().end();
  }
  json.end();
  write_rows(json, "distributions", all_key_distributions());
  write_rows(json, "levels", all_simulated_levels());
  write_rows(json, "bugs", all_simulated_bugs());
  write_rows(json, "plants", all_planted_anomalies());
  json.end();
}

const WorkloadInfo& workload_row(const std::string& name) {
  if (const WorkloadInfo* row = find_workload(name)) return *row;
  std::vector<std::string_view> names;
  for (const WorkloadInfo& row : all_workloads()) names.push_back(row.name);
  const std::vector<std::string_view> near = nearest_names(name, names);
  throw UsageError(fmt::format("there is no workload \"{}\"", name),
                   near.empty() ? "serval workloads lists them all" : did_you_mean(name, near));
}

std::string as_json(const std::string& name) {
  JsonWriter json;
  if (name.empty())
    write_table(json);
  else
    write_page(json, workload_row(name));
  return json.take() + "\n";
}

}  // namespace

Action declare_workloads(Arguments& arguments) {
  struct Flags {
    std::string name;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  arguments.optional_word("NAME", flags->name, "A workload");
  arguments.flag("--json", flags->json, "JSON instead of text");
  return [flags] {
    if (flags->json)
      print(as_json(flags->name));
    else
      print(flags->name.empty() ? table() : page(workload_row(flags->name)));
    return static_cast<int>(kHolds);
  };
}

}  // namespace serval::cli
