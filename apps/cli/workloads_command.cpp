// serval workloads: what `serval gen` can run, break and plant.

#include <memory>

#include <fmt/format.h>

#include "exit_code.h"
#include "output.h"
#include "serval/database/simulated/simulate.h"
#include "serval/report/json_writer.h"
#include "serval/workload/workload.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string parameters_of(const WorkloadInfo& row) {
  std::string out;
  for (const ParameterInfo& parameter : row.parameters)
    out += fmt::format("{}{}={}", out.empty() ? ":" : ",", parameter.name, parameter.default_value);
  return out;
}

template <class Row>
Rows rows_of(std::span<const Row> table) {
  Rows rows;
  for (const Row& row : table) rows.push_back({std::string(row.name), std::string(row.description)});
  return rows;
}

std::string table() {
  Rows workloads;
  for (const WorkloadInfo& row : all_workloads())
    workloads.push_back({std::string(row.name) + parameters_of(row), std::string(row.description)});
  return "Workloads (serval gen -w NAME:parameter=value,…):\n" + aligned(workloads) +
         "\nLevels of the simulated database (--level):\n" + aligned(rows_of(all_simulated_levels())) +
         "\nBugs (--bug NAME:probability=0.1,limit=1):\n" + aligned(rows_of(all_simulated_bugs())) +
         "\nAnomalies to plant (--plant):\n" + aligned(rows_of(all_planted_anomalies()));
}

template <class Row>
void write_rows(JsonWriter& json, std::string_view name, std::span<const Row> table) {
  json.key(name).begin_array();
  for (const Row& row : table)
    json.begin_object().key("name").text(row.name).key("description").text(row.description).end();
  json.end();
}

std::string json_table() {
  JsonWriter json;
  json.begin_object().key("workloads").begin_array();
  for (const WorkloadInfo& row : all_workloads()) {
    json.begin_object().key("name").text(row.name).key("description").text(row.description);
    json.key("parameters").begin_object();
    for (const ParameterInfo& parameter : row.parameters)
      json.key(parameter.name).number(parameter.default_value);
    json.end().end();
  }
  json.end();
  write_rows(json, "levels", all_simulated_levels());
  write_rows(json, "bugs", all_simulated_bugs());
  write_rows(json, "plants", all_planted_anomalies());
  return json.end().take() + "\n";
}

}  // namespace

Action declare_workloads(Arguments& arguments) {
  auto as_json = std::make_shared<bool>(false);
  arguments.flag("--json", *as_json, "JSON instead of text");
  return [as_json] {
    print(*as_json ? json_table() : table());
    return static_cast<int>(kHolds);
  };
}

}  // namespace serval::cli
