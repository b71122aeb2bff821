// serval convert: writes a history in another format and reports every loss.

#include <memory>

#include <fmt/format.h>

#include "choices.h"
#include "exit_code.h"
#include "output.h"
#include "reading.h"
#include "serval/base/error.h"
#include "serval/formats/format.h"
#include "serval/report/quantity.h"
#include "verb.h"
#include "verb_limits.h"
#include "writing.h"

namespace serval::cli {
namespace {

struct ConvertFlags {
  std::string in, out;
  ReadingFlags reading;
  LimitFlags limits;
  std::string to = "auto";
  bool strict = false;
  bool force = false;
};

// Before the file is written, so that a strict conversion leaves nothing behind.
void refuse_losses(const History& history, Format format, const std::string& path) {
  const std::vector<std::string> losses = losses_of_writing(history, format).lossy_steps;
  if (losses.empty()) return;
  throw InputError(
      {path},
      fmt::format("{} cannot represent the whole history: {}", info(format).name, fmt::join(losses, "; ")),
      {}, "choose another format, or leave out --strict to convert what fits");
}

int convert(const ConvertFlags& flags, Budget& budget) {
  const Format format = output_format("--to", flags.to, flags.out);
  require_writable(flags.out, flags.force ? Overwrite::Allow : Overwrite::Refuse);
  const LoadedHistory loaded = load_history(flags.in, flags.reading, budget);
  if (flags.strict) refuse_losses(loaded.history, format, flags.in);
  const WriteReport written = write_history(loaded.history, format, flags.out, budget);
  for (const std::string& step : written.lossy_steps) note("lossy: " + step);
  note(fmt::format("{} ({}) to {} ({})   {}   {}", flags.in, loaded.format, flags.out, info(format).name,
                   format_count(loaded.history.transaction_count(), "txn"),
                   format_count(loaded.history.operation_count(), "op")));
  return kHolds;
}

}  // namespace

Action declare_convert(Arguments& arguments) {
  auto flags = std::make_shared<ConvertFlags>();
  arguments.word("IN", flags->in, "The history, a file or a folder; - is standard input");
  arguments.word("OUT", flags->out, "The file or folder to write; - is standard output");
  declare_reading_flags(arguments, flags->reading);
  declare_limit_flags(arguments, flags->limits);
  arguments.option("--from", flags->reading.format, "Same as --format", "NAME");
  arguments.option("--to", flags->to, "Format of the output [by the file name]", "NAME");
  arguments.flag("--strict", flags->strict, "If anything would be lost, write nothing and exit with 3");
  arguments.flag("--force", flags->force, "Overwrite an existing file");
  return [flags] {
    return within_limits(flags->limits, [&](Budget& budget) { return convert(*flags, budget); });
  };
}

}  // namespace serval::cli
