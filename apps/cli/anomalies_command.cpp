// serval anomalies: the table of anomalies, or one of them.

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "choices.h"
#include "exit_code.h"
#include "output.h"
#include "serval/report/json_writer.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

struct AnomaliesFlags {
  std::string name;
  bool json = false;
};

std::string names_of(const std::vector<Level>& levels) {
  std::string out;
  for (const Level level : levels) out += (out.empty() ? "" : ", ") + std::string(name_of(level));
  return out.empty() ? "-" : out;
}

std::string table() {
  std::vector<std::vector<std::string>> rows{{"anomaly", "class", "description"}};
  for (const AnomalyInfo& row : all_anomalies())
    rows.push_back({std::string(row.name), row.adya.empty() ? "-" : std::string(row.adya),
                    std::string(row.description)});
  return "serval anomalies NAME shows an example and the levels that forbid it.\n\n" + aligned(rows);
}

std::string page(const AnomalyInfo& row) {
  return fmt::format("{}{}\n", row.name, row.adya.empty() ? "" : fmt::format(" ({})", row.adya)) +
         aligned(
             {{"description", std::string(row.description)},
              {"example", std::string(row.example)},
              {"source", std::string(row.citation)},
              {"forbidden by", names_of(row.forbidden_by) + " and every level that implies one of them"}});
}

void write_json(JsonWriter& json, const AnomalyInfo& row) {
  json.begin_object().key("name").text(row.name).key("alias");
  row.adya.empty() ? json.null() : json.text(row.adya);
  json.key("description").text(row.description).key("example").text(row.example);
  json.key("citation").text(row.citation).key("forbidden_by").begin_array();
  for (const Level level : row.forbidden_by) json.text(name_of(level));
  json.end().end();
}

std::string json_table() {
  JsonWriter json;
  json.begin_array();
  for (const AnomalyInfo& row : all_anomalies()) write_json(json, row);
  return json.end().take() + "\n";
}

int show_anomalies(const AnomaliesFlags& flags) {
  if (flags.name.empty()) {
    print(flags.json ? json_table() : table());
    return kHolds;
  }
  const AnomalyInfo& row = info(choose_anomaly(flags.name));
  JsonWriter json;
  if (flags.json) write_json(json, row);
  print(flags.json ? json.take() + "\n" : page(row));
  return kHolds;
}

}  // namespace

Action declare_anomalies(CLI::App& app) {
  auto flags = std::make_shared<AnomaliesFlags>();
  app.add_option("NAME", flags->name, "An anomaly, by its name or class (G1a, P4, …)");
  app.add_flag("--json", flags->json, "JSON instead of text");
  return [flags] { return show_anomalies(*flags); };
}

}  // namespace serval::cli
