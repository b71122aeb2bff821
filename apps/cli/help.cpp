#include "help.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "output.h"
#include "serval/report/quantity.h"
#include "tables.h"

namespace serval::cli {
namespace {

struct Example {
  std::string_view command, comment;
};

// One example per line: "command", or "command  # comment".
std::vector<Example> parse_examples(std::string_view lines) {
  std::vector<Example> out;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const std::size_t mark = line.find("  # ");
    out.push_back(mark == std::string_view::npos ? Example{line, {}}
                                                 : Example{line.substr(0, mark), line.substr(mark + 2)});
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return out;
}

// Comments in a column after the commands, or above them if the page is too narrow for that.
std::string format_examples(std::string_view lines) {
  const std::vector<Example> examples = parse_examples(lines);
  std::size_t column = 0, comment = 0;
  for (const Example& example : examples) {
    if (!example.comment.empty()) column = std::max(column, display_width(example.command) + 2);
    comment = std::max(comment, display_width(example.comment));
  }
  const bool beside = 2 + column + comment <= page_width();
  std::string out;
  for (const Example& example : examples) {
    if (example.comment.empty())
      out += fmt::format("  {}\n", example.command);
    else if (beside)
      out += fmt::format("  {}{}\n", padded(example.command, column), example.comment);
    else
      out += fmt::format("  {}\n  {}\n", example.comment, example.command);
  }
  return out;
}

constexpr std::size_t kTitleWidth = 34;

// "  -l, --level LEVEL                 Require this level ...", wrapped; a long title has its own line.
std::string described(const Arguments::Description& flag) {
  std::string out = "  " + padded(flag.title, kTitleWidth);
  if (display_width(flag.title) >= kTitleWidth) out += "\n" + std::string(kTitleWidth + 2, ' ');
  const std::string indent = "\n" + std::string(kTitleWidth + 2, ' ');
  return out + fmt::format("{}\n", fmt::join(wrapped(flag.help, page_width() - kTitleWidth - 2), indent));
}

}  // namespace

std::string short_help() {
  std::string out = paragraph("serval checks whether a database keeps the isolation level it promises.") +
                    "\n" +
                    format_examples(
                        "serval run sqlite: -t 5s  # run, record and check a workload\n"
                        "serval check h.jsonl  # exit 0: no anomaly, 1: found\n"
                        "serval check h.jsonl --level serializable  # exit 0: holds, 1: violated\n"
                        "serval gen --keys 10 --level snapshot-isolation --seed 1 -o si.jsonl\n"
                        "serval check si.jsonl --level serializable  # explains a write skew") +
                    "\n";
  std::vector<std::vector<std::string>> verbs;
  for (const Verb& verb : all_verbs()) verbs.push_back({std::string(verb.name), std::string(verb.summary)});
  return out + aligned(verbs) + "\nserval VERB --help shows the examples and options of a verb.\n";
}

std::string verb_help(const Verb& verb, const Arguments& arguments) {
  std::string out = paragraph(verb.summary) + "\n";
  if (!verb.examples.empty()) out += fmt::format("Examples:\n{}\n", format_examples(verb.examples));
  out +=
      fmt::format("Usage: serval {}{}{}\n\nOptions:\n", verb.name, verb.usage.empty() ? "" : " ", verb.usage);
  for (const Arguments::Description& flag : arguments.flags()) out += described(flag);
  return out;
}

}  // namespace serval::cli
