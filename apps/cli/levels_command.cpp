// serval levels: the table of isolation levels, or one of them.

#include <algorithm>

#include <fmt/format.h>

#include "choices.h"
#include "reference_command.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

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

const LevelInfo& row_named(const std::string& name) { return info(choose_level(name)); }

}  // namespace

Action declare_levels(CLI::App& app) {
  return declare_reference<LevelInfo>(app, {.rows = all_levels,
                                            .row_named = row_named,
                                            .table = table,
                                            .page = page,
                                            .write_json = write_json,
                                            .name_help = "A level or one of its aliases"});
}

}  // namespace serval::cli
