#pragma once
// A verb that prints a reference table, or the page of one row, as text or JSON: serval levels, serval
// anomalies and others.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exit_code.h"
#include "output.h"
#include "serval/base/json_writer.h"
#include "serval/levels/level.h"
#include "verb.h"

namespace serval::cli {

template <class Row>
struct Reference {
  std::span<const Row> (*rows)();
  const Row& (*row_named)(const std::string& name);  // Throws UsageError with the nearest names.
  std::string (*table)();
  std::string (*page)(const Row& row);
  void (*write_json)(JsonWriter& json, const Row& row);
  const char* name_help;
};

template <class Row>
std::string reference_text(const Reference<Row>& reference, const std::string& name) {
  return name.empty() ? reference.table() : reference.page(reference.row_named(name));
}

template <class Row>
std::string reference_json(const Reference<Row>& reference, const std::string& name) {
  JsonWriter json;
  if (name.empty()) {
    json.begin_array();
    for (const Row& row : reference.rows()) reference.write_json(json, row);
    json.end();
  } else {
    reference.write_json(json, reference.row_named(name));
  }
  return json.take() + "\n";
}

template <class Row>
Action declare_reference(Arguments& arguments, Reference<Row> reference) {
  struct Flags {
    std::string name;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  arguments.optional_word("NAME", flags->name, reference.name_help);
  arguments.flag("--json", flags->json, "JSON instead of text");
  return [flags, reference] {
    print(flags->json ? reference_json(reference, flags->name) : reference_text(reference, flags->name));
    return static_cast<int>(kHolds);
  };
}

// "serializable, causal", or "-" for none.
inline std::string names_of(const std::vector<Level>& levels) {
  std::string out;
  for (const Level level : levels) out += (out.empty() ? "" : ", ") + std::string(name_of(level));
  return out.empty() ? "-" : out;
}

}  // namespace serval::cli
