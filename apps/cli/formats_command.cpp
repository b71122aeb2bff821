// serval formats: the table of file formats.

#include <memory>

#include "exit_code.h"
#include "output.h"
#include "serval/base/json_writer.h"
#include "serval/formats/format.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

std::string table() {
  std::vector<std::vector<std::string>> rows{{"format", "name ends in", "description"}};
  for (const FormatInfo& row : all_formats())
    rows.push_back({std::string(row.name), std::string(row.extension), std::string(row.description)});
  return aligned(rows) + "\n" +
         paragraph(
             "Input is recognised by its content and may be compressed (.gz, .zst). docs/formats/ describes "
             "each format.");
}

std::string json_table() {
  JsonWriter json;
  json.begin_array();
  for (const FormatInfo& row : all_formats()) {
    json.begin_object().key("name").text(row.name).key("extension").text(row.extension);
    json.key("description").text(row.description).key("written").boolean(row.write != nullptr).end();
  }
  return json.end().take() + "\n";
}

}  // namespace

Action declare_formats(Arguments& arguments) {
  auto as_json = std::make_shared<bool>(false);
  arguments.flag("--json", *as_json, "JSON instead of text");
  return [as_json] {
    print(*as_json ? json_table() : table());
    return static_cast<int>(kHolds);
  };
}

}  // namespace serval::cli
