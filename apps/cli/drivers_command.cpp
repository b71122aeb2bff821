// serval drivers: the table of supported databases, or one of them.

#include <fmt/format.h>

#include "reference_command.h"
#include "serval/base/error.h"
#include "serval/base/nearest_names.h"
#include "serval/database/database.h"
#include "tables.h"
#include "verb.h"

namespace serval::cli {
namespace {

std::string missing(const DriverInfo& row) {
  return row.open != nullptr ? "" : fmt::format("not in this build: install {}", row.package);
}

std::string driver_table() {
  std::vector<std::vector<std::string>> rows;
  for (const DriverInfo& row : all_drivers()) {
    std::string isolations;
    for (const IsolationInfo& isolation : row.isolations)
      isolations += fmt::format("{}{}", isolations.empty() ? "" : ", ", isolation.name);
    rows.push_back({std::string(row.name), std::string(row.description)});
    if (row.open == nullptr) rows.push_back({"", missing(row)});
    rows.push_back({"", "isolations: " + isolations});
  }
  return "serval run ADDRESS -i ISOLATION\nserval drivers NAME shows what each isolation promises.\n\n" +
         aligned(rows);
}

std::string driver_page(const DriverInfo& row) {
  std::vector<std::vector<std::string>> rows{{"isolation", "promises", "remark"}};
  for (const IsolationInfo& isolation : row.isolations)
    rows.push_back(
        {std::string(isolation.name), isolation.promises.empty() ? "-" : std::string(isolation.promises),
         fmt::format("{}{}", isolation.name == row.default_isolation ? "(default) " : "", isolation.remark)});
  return paragraph(fmt::format("{}: {}{}", row.name, row.description,
                               row.open == nullptr ? fmt::format(" ({})", missing(row)) : "")) +
         aligned({{"address", std::string(row.address)},
                  {"ranges", row.has_ranges ? "yes" : "no: single keys only"},
                  {"certificate", row.certificate.empty() ? "no" : std::string(row.certificate)}}) +
         "\n" + aligned(rows);
}

const DriverInfo& driver_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const DriverInfo& row : all_drivers()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw UsageError(fmt::format("there is no driver \"{}\"", name), did_you_mean(name, names));
}

void write_driver(JsonWriter& json, const DriverInfo& row) {
  json.begin_object().key("name").text(row.name).key("address").text(row.address);
  json.key("description").text(row.description).key("available").boolean(row.open != nullptr);
  json.key("ranges").boolean(row.has_ranges).key("default_isolation").text(row.default_isolation);
  json.key("certificate").text(row.certificate).key("package").text(row.package);
  json.key("isolations").begin_array();
  for (const IsolationInfo& isolation : row.isolations)
    json.begin_object()
        .key("name")
        .text(isolation.name)
        .key("promises")
        .text(isolation.promises)
        .key("remark")
        .text(isolation.remark)
        .end();
  json.end().end();
}

}  // namespace

Action declare_drivers(Arguments& arguments) {
  return declare_reference<DriverInfo>(arguments, {.rows = all_drivers,
                                                   .row_named = driver_named,
                                                   .table = driver_table,
                                                   .page = driver_page,
                                                   .write_json = write_driver,
                                                   .name_help = "A driver"});
}

}  // namespace serval::cli
