// serval levels: the table of isolation levels, or one of them.

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

struct LevelsFlags {
  std::string name;
  bool json = false;
};

std::string names_of(const std::vector<Level>& levels) {
  std::string out;
  for (const Level level : levels) out += (out.empty() ? "" : ", ") + std::string(name_of(level));
  return out.empty() ? "-" : out;
}

std::vector<Level> directly_implying(Level weaker) {
  std::vector<Level> out;
  for (const LevelInfo& row : all_levels())
    if (std::ranges::find(row.implies, weaker) != row.implies.end()) out.push_back(row.level);
  return out;
}

std::string table() {
  std::vector<std::vector<std::string>> rows{{"level", "also called"}};
  for (const LevelInfo& row : all_levels())
    rows.push_back({std::string(row.name), fmt::format("{}", fmt::join(row.aliases, ", "))});
  return "Weakest first. serval levels NAME shows the definition and what it implies.\n\n" + aligned(rows);
}

std::string page(const LevelInfo& row) {
  return fmt::format("{}\n", row.name) +
         aligned({{"definition", std::string(row.definition)},
                  {"source", std::string(row.citation)},
                  {"also called", fmt::format("{}", fmt::join(row.aliases, ", "))},
                  {"implies", names_of(row.implies)},
                  {"implied by", names_of(directly_implying(row.level))}});
}

void write_json(JsonWriter& json, const LevelInfo& row) {
  json.begin_object().key("name").text(row.name).key("aliases").begin_array();
  for (const std::string_view alias : row.aliases) json.text(alias);
  json.end()
      .key("definition")
      .text(row.definition)
      .key("citation")
      .text(row.citation)
      .key("implies")
      .begin_array();
  for (const Level level : row.implies) json.text(name_of(level));
  json.end().end();
}

std::string json_table() {
  JsonWriter json;
  json.begin_array();
  for (const LevelInfo& row : all_levels()) write_json(json, row);
  return json.end().take() + "\n";
}

int show_levels(const LevelsFlags& flags) {
  if (flags.name.empty()) {
    print(flags.json ? json_table() : table());
    return kHolds;
  }
  const LevelInfo& row = info(choose_level(flags.name));
  JsonWriter json;
  if (flags.json) write_json(json, row);
  print(flags.json ? json.take() + "\n" : page(row));
  return kHolds;
}

}  // namespace

Action declare_levels(CLI::App& app) {
  auto flags = std::make_shared<LevelsFlags>();
  app.add_option("NAME", flags->name, "A level or one of its aliases");
  app.add_flag("--json", flags->json, "JSON instead of text");
  return [flags] { return show_levels(*flags); };
}

}  // namespace serval::cli
