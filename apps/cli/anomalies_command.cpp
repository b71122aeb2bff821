// serval anomalies: the table of anomalies, or one of them.

#include <algorithm>

#include <fmt/format.h>

#include "choices.h"
#include "reference_command.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

std::string table() {
  std::vector<std::vector<std::string>> rows{{"anomaly", "class", "description"}};
  for (const AnomalyInfo& row : all_anomalies())
    rows.push_back({std::string(row.name), row.adya.empty() ? "-" : std::string(row.adya),
                    std::string(row.description)});
  return "serval anomalies NAME shows an example and the levels that forbid it.\n\n" + aligned(rows);
}

// The levels that forbid the anomaly because they imply one of the weakest ones that do.
std::vector<Level> stronger_levels(const AnomalyInfo& row) {
  std::vector<Level> out;
  for (const LevelInfo& level : all_levels())
    if (forbids(level.level, row.kind) &&
        std::ranges::find(row.forbidden_by, level.level) == row.forbidden_by.end())
      out.push_back(level.level);
  return out;
}

std::string page(const AnomalyInfo& row) {
  return fmt::format("{}{}\n", row.name, row.adya.empty() ? "" : fmt::format(" ({})", row.adya)) +
         aligned(
             {{"description", std::string(row.description)},
              {"example", std::string(row.example)},
              {"source", std::string(row.citation)},
              {"also called", row.aliases.empty() ? "-" : fmt::format("{}", fmt::join(row.aliases, ", "))},
              {"forbidden by", names_of(row.forbidden_by)},
              {"and so by", names_of(stronger_levels(row))}});
}

void write_json(JsonWriter& json, const AnomalyInfo& row) {
  json.begin_object().key("name").text(row.name).key("alias");
  row.adya.empty() ? json.null() : json.text(row.adya);
  json.key("aliases").begin_array();
  for (const std::string_view alias : row.aliases) json.text(alias);
  json.end();
  json.key("description").text(row.description).key("example").text(row.example);
  json.key("citation").text(row.citation).key("forbidden_by").begin_array();
  for (const Level level : row.forbidden_by) json.text(name_of(level));
  json.end().end();
}

const AnomalyInfo& row_named(const std::string& name) { return info(choose_anomaly(name)); }

}  // namespace

Action declare_anomalies(Arguments& arguments) {
  return declare_reference<AnomalyInfo>(arguments,
                                        {.rows = all_anomalies,
                                         .row_named = row_named,
                                         .table = table,
                                         .page = page,
                                         .write_json = write_json,
                                         .name_help = "An anomaly, by its name or class (G1a, P4, …)"});
}

}  // namespace serval::cli
