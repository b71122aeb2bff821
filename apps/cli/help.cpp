#include "help.h"

#include <algorithm>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

std::string indented(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += fmt::format("  {}\n", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

std::string option_title(const CLI::Option& option) {
  std::string title;
  for (const std::string& name : option.get_snames())
    title += fmt::format("{}-{}", title.empty() ? "" : ", ", name);
  for (const std::string& name : option.get_lnames())
    title += fmt::format("{}--{}", title.empty() ? "    " : ", ", name);
  if (option.get_type_size() != 0) title += " " + option.get_type_name();
  return title;
}

bool is_positional(const CLI::Option& option) {
  return option.get_snames().empty() && option.get_lnames().empty();
}

}  // namespace

std::string short_help() {
  std::string out =
      "serval tells whether a database kept the isolation level it promises.\n\n"
      "  serval check history.jsonl                          the strongest level that holds\n"
      "  serval check history.txt --level serializable       gate one level: exit 0 holds, 1 violated\n"
      "  serval gen -n 10k --level snapshot-isolation -o h.jsonl && serval check h.jsonl -l serializable\n\n";
  for (const Verb& verb : all_verbs()) out += fmt::format("  {}{}\n", padded(verb.name, 12), verb.summary);
  return out + "\nserval VERB --help shows examples and options of a verb.\n";
}

std::string verb_help(const Verb& verb, const CLI::App& app) {
  std::string out = fmt::format("{}\n\n", verb.summary);
  if (!verb.examples.empty()) out += fmt::format("Examples:\n{}\n", indented(verb.examples));
  out += fmt::format("Usage: serval {} {}\n\nOptions:\n", verb.name, verb.usage);
  for (const CLI::Option* option : app.get_options())
    if (!is_positional(*option))
      out += fmt::format("  {}{}\n", padded(option_title(*option), 34), option->get_description());
  return out;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace serval::cli
