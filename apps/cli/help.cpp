#include "help.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "output.h"
#include "serval/report/quantity.h"
#include "tables.h"

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

constexpr std::size_t kTitleWidth = 34;

// "  -l, --level LEVEL                 Gate this level ...", wrapped; a long title has a line of its own.
std::string described(const Arguments::Description& flag) {
  std::string out = "  " + padded(flag.title, kTitleWidth);
  if (display_width(flag.title) >= kTitleWidth) out += "\n" + std::string(kTitleWidth + 2, ' ');
  const std::string indent = "\n" + std::string(kTitleWidth + 2, ' ');
  return out + fmt::format("{}\n", fmt::join(wrapped(flag.help, page_width() - kTitleWidth - 2), indent));
}

}  // namespace

std::string short_help() {
  std::string out =
      "serval checks whether a database kept the isolation level it promises.\n\n"
      "  serval check history.jsonl                       exit 0: no anomaly, 1: found, with the first one;\n"
      "                                                   of a recording of serval run: whether it keeps\n"
      "                                                   what the isolation promises\n"
      "  serval check history.jsonl --level any           every anomaly counts, whatever was promised\n"
      "  serval check history.txt --level serializable    gate one level: exit 0 holds, 1 violated\n"
      "  serval gen --keys 10 --level snapshot-isolation --seed 1 -o h.jsonl &&\n"
      "    serval check h.jsonl --level serializable      finds and explains a write skew\n\n";
  for (const Verb& verb : all_verbs()) out += fmt::format("  {}{}\n", padded(verb.name, 12), verb.summary);
  return out + "\nserval VERB --help shows examples and options of a verb.\n";
}

std::string verb_help(const Verb& verb, const Arguments& arguments) {
  std::string out = fmt::format("{}\n\n", verb.summary);
  if (!verb.examples.empty()) out += fmt::format("Examples:\n{}\n", indented(verb.examples));
  out += fmt::format("Usage: serval {} {}\n\nOptions:\n", verb.name, verb.usage);
  for (const Arguments::Description& flag : arguments.flags()) out += described(flag);
  return out;
}

}  // namespace serval::cli
