// serval models: the table of models, or one of them.

#include <fmt/format.h>

#include "model_flags.h"
#include "reference_command.h"
#include "serval/model/model.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

std::string table() {
  std::vector<std::vector<std::string>> rows{{"model", "what must hold"}};
  for (const ModelInfo& row : all_models()) {
    rows.push_back({std::string(row.name), std::string(row.summary)});
    if (!row.parameters.empty())
      rows.push_back({"", fmt::format("flags: {}", fmt::join(row.parameters, ", "))});
  }
  return "serval check FILE --model NAME\nserval models NAME shows the operations, rules and findings.\n\n" +
         aligned(rows);
}

std::string page(const ModelInfo& row) {
  const std::string functions =
      row.functions.empty() ? "any" : fmt::format(":{}", fmt::join(row.functions, ", :"));
  return paragraph(fmt::format("{}: {}", row.name, row.summary)) +
         aligned(
             {{"operations", functions},
              {"values", std::string(row.operations)},
              {"rule", std::string(row.details)},
              {"findings", fmt::format("{}", fmt::join(row.findings, ", "))},
              {"flags", row.parameters.empty() ? "-" : fmt::format("{}", fmt::join(row.parameters, ", "))}});
}

void write_list(JsonWriter& json, std::string_view name, const std::vector<std::string_view>& words) {
  json.key(name).begin_array();
  for (const std::string_view word : words) json.text(word);
  json.end();
}

void write_json(JsonWriter& json, const ModelInfo& row) {
  json.begin_object().key("name").text(row.name).key("summary").text(row.summary);
  write_list(json, "functions", row.functions);
  json.key("values").text(row.operations).key("rule").text(row.details);
  write_list(json, "findings", row.findings);
  write_list(json, "flags", row.parameters);
  json.end();
}

}  // namespace

Action declare_models(Arguments& arguments) {
  return declare_reference<ModelInfo>(arguments, {.rows = all_models,
                                                  .row_named = model_row,
                                                  .table = table,
                                                  .page = page,
                                                  .write_json = write_json,
                                                  .name_help = "A model"});
}

}  // namespace serval::cli
