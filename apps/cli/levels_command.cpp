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

std::vector<Level> implied(Level stronger) {
  std::vector<Level> out;
  for (const LevelInfo& row : all_levels())
    if (row.level != stronger && implies(stronger, row.level)) out.push_back(row.level);
  return out;
}

// What the level forbids, but no level that it implies.
std::vector<std::string_view> forbidden_first_here(Level level) {
  std::vector<std::string_view> out;
  for (const AnomalyInfo& row : all_anomalies())
    if (std::ranges::find(row.forbidden_by, level) != row.forbidden_by.end()) out.push_back(row.name);
  return out;
}

std::vector<std::string_view> forbidden(Level level) {
  std::vector<std::string_view> out;
  for (const AnomalyInfo& row : all_anomalies())
    if (forbids(level, row.kind)) out.push_back(row.name);
  return out;
}

std::string joined(const std::vector<std::string_view>& names) {
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

std::string orders(Level level) {
  const bool sessions = uses_session_order(level), times = uses_real_time(level);
  return sessions && times ? "sessions, times" : sessions ? "sessions" : times ? "times" : "-";
}

std::string level_table() {
  std::vector<std::vector<std::string>> rows{{"level", "uses", "implies directly"}};
  for (const LevelInfo& row : all_levels())
    rows.push_back({std::string(row.name), orders(row.level), names_of(row.implies)});
  return "Weakest first.\nserval levels NAME shows the definition, the aliases and what the level "
         "forbids.\n\n" +
         aligned(rows);
}

std::vector<Level> remaining(std::vector<Level> levels, const std::vector<Level>& without) {
  std::erase_if(levels, [&](Level level) { return std::ranges::find(without, level) != without.end(); });
  return levels;
}

std::string level_page(const LevelInfo& row) {
  return fmt::format("{}\n", row.name) +
         aligned({{"definition", std::string(row.definition)},
                  {"source", std::string(row.citation)},
                  {"also called", fmt::format("{}", fmt::join(row.aliases, ", "))},
                  {"uses", orders(row.level)},
                  {"implies", names_of(row.implies)},
                  {"so also", names_of(remaining(implied(row.level), row.implies))},
                  {"implied by", names_of(directly_implying(row.level))},
                  {"forbids first", joined(forbidden_first_here(row.level))},
                  {"forbids", joined(forbidden(row.level))}});
}

void write_level(JsonWriter& json, const LevelInfo& row) {
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
  json.end().key("forbids").begin_array();
  for (const std::string_view name : forbidden(row.level)) json.text(name);
  json.end();
  json.key("uses_session_order").boolean(uses_session_order(row.level));
  json.key("uses_real_time").boolean(uses_real_time(row.level)).end();
}

const LevelInfo& level_named(const std::string& name) { return info(choose_level(name)); }

}  // namespace

Action declare_levels(Arguments& arguments) {
  return declare_reference<LevelInfo>(arguments, {.rows = all_levels,
                                                  .row_named = level_named,
                                                  .table = level_table,
                                                  .page = level_page,
                                                  .write_json = write_level,
                                                  .name_help = "A level or one of its aliases"});
}

}  // namespace serval::cli
