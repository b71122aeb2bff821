#include "probe_expectation.h"

#include <algorithm>

#include <fmt/format.h>

#include "auxiliary_file.h"
#include "serval/base/error.h"
#include "serval/database/json/json_value.h"

namespace serval::cli {
namespace {

std::string content_of(const std::string& path) {
  try {
    return read_document(path);
  } catch (const InputError& error) {
    throw ExpectationError(error.position(), error.problem());
  }
}

[[noreturn]] void refuse(const std::string& path, std::string_view text, const JsonError& error) {
  const std::size_t at = std::min(error.offset(), text.size());
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = before.rfind('\n') + 1;  // Of the line; npos is one less than 0.
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const auto line = static_cast<std::uint64_t>(std::ranges::count(before, '\n')) + 1;
  throw ExpectationError({path, line, at - begin + 1}, error.what(),
                         std::string(text.substr(begin, end - begin)), "serval probe DSN --json > FILE");
}

}  // namespace

ProbeExpectation read_probe_expectation(const std::string& path) {
  JsonValue document;
  const std::string text = content_of(path);
  try {
    document = parse_json(text);
  } catch (const JsonError& error) {
    refuse(path, text, error);
  }
  if (document["schema"].text != "serval.probe/1")
    throw ExpectationError({path, 1, 1}, "not the output of serval probe --json", {},
                           "serval probe DSN --json > FILE");
  ProbeExpectation out;
  for (const JsonValue& row : document["rows"].items) {
    const JsonValue& cells = row["cells"];
    auto& kept = out[row["isolation"].text];
    for (std::size_t i = 0; i < cells.names.size(); ++i) kept[cells.names[i]] = cells.items[i]["result"].text;
  }
  if (out.empty()) throw ExpectationError({path, 1, 1}, "the matrix has no rows");
  return out;
}

std::vector<std::string> differences_from(const ProbeExpectation& expected,
                                          const std::vector<ProbeRow>& found, Rows rows) {
  std::vector<std::string> out;
  ProbeExpectation left = expected;
  const std::span<const ProbeAnomaly> anomalies = all_probe_anomalies();
  for (const ProbeRow& row : found) {
    auto& wanted = left[row.isolation];
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::string name(anomalies[i].name);
      const std::string_view result = name_of(row.cells[i].result);
      const auto cell = wanted.find(name);
      if (cell == wanted.end() || cell->second != result)
        out.push_back(fmt::format("{} {}: expected {}, found {}", row.isolation, name,
                                  cell == wanted.end() ? "nothing" : cell->second, result));
      wanted.erase(name);
    }
    for (const auto& [name, result] : wanted)
      out.push_back(fmt::format("{} {}: expected {}, not probed", row.isolation, name, result));
    left.erase(row.isolation);
  }
  if (rows == Rows::All)
    for (const auto& [isolation, cells] : left)
      out.push_back(fmt::format("{}: expected, not probed", isolation));
  return out;
}

}  // namespace serval::cli
