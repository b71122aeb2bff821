// The table, the JSON and the CSV of a sweep.

#include <fmt/format.h>

#include "serval/base/json_writer.h"
#include "serval/report/quantity.h"
#include "sweep.h"
#include "tables.h"

namespace serval::cli {
namespace {

double aborted_share(const SweepCell& cell) {
  if (cell.transactions == 0) return 0;
  return static_cast<double>(cell.transactions - cell.committed) / static_cast<double>(cell.transactions);
}

}  // namespace

std::string text_of(const SweepReport& report) {
  const SweepOptions& options = report.options;
  std::string out = fmt::format("sweep   {}   {} sessions   {} keys   {} operations each   seed {}\n\n",
                                format_count(options.transactions, "txn"), options.sessions, options.keys,
                                options.operations, options.seed);
  std::vector<std::vector<std::string>> table{
      {"parameter", "value", "workload", "level", "aborted", "generation", "check", "verdict", "engine"}};
  for (const SweepCell& cell : report.cells)
    table.push_back({std::string(cell.parameter), cell.value, std::string(cell.workload),
                     std::string(name_of(cell.level)), fmt::format("{:.1f} %", 100 * aborted_share(cell)),
                     fmt::format("{:.3f}", cell.generation_seconds), fmt::format("{:.3f}", cell.seconds),
                     std::string(cell.verdict), std::string(cell.engine)});
  return out + aligned(table, 200) +
         "\ngeneration, check: seconds; each line changes one parameter, the others are as in the heading\n";
}

std::string json_of(const SweepReport& report) {
  JsonWriter json;
  json.begin_object().key("schema").text("serval.bench.sweep/1");
  json.key("txns").number(report.options.transactions).key("sessions");
  json.number(static_cast<std::uint64_t>(report.options.sessions)).key("keys").number(report.options.keys);
  json.key("operations").number(report.options.operations).key("seed").number(report.options.seed);
  json.key("cells").begin_array();
  for (const SweepCell& cell : report.cells) {
    json.begin_object().key("parameter").text(cell.parameter).key("value").text(cell.value);
    json.key("workload").text(cell.workload).key("level").text(name_of(cell.level));
    json.key("txns").number(cell.transactions).key("committed").number(cell.committed);
    json.key("ops").number(cell.operations).key("generation_s").number(cell.generation_seconds);
    json.key("check_s").number(cell.seconds).key("verdict").text(cell.verdict);
    json.key("engine").text(cell.engine).end();
  }
  json.end();
  return json.end().take() + "\n";
}

std::string csv_of(const SweepReport& report) {
  std::string out = "parameter,value,workload,level,txns,committed,ops,generation_s,check_s,verdict,engine\n";
  for (const SweepCell& cell : report.cells)
    out += fmt::format("{},{},{},{},{},{},{},{:.6f},{:.6f},{},{}\n", cell.parameter, cell.value,
                       cell.workload, name_of(cell.level), cell.transactions, cell.committed, cell.operations,
                       cell.generation_seconds, cell.seconds, cell.verdict, cell.engine);
  return out;
}

}  // namespace serval::cli
