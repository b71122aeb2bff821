#include "reading.h"

#include <array>

#include "choices.h"
#include "output.h"

namespace serval::cli {
namespace {

bool accepts_truncated(const ReadingFlags& flags) {
  static constexpr std::array<std::string_view, 2> kWords{"error", "ok"};
  return choose("--truncated", flags.truncated, kWords) == 1;
}

ReadOptions options_for(const ReadingFlags& flags, Budget* budget, Progress& progress,
                        std::vector<std::string>& notices) {
  ReadOptions options;
  options.format = choose_format("--format", flags.format);
  options.accept_truncated = accepts_truncated(flags);
  options.budget = budget;
  options.on_notice = [&](const std::string& notice) { notices.push_back(notice); };
  options.on_progress = [&](std::uint64_t done, std::uint64_t total) { progress.reading(done, total); };
  return options;
}

}  // namespace

void declare_reading_flags(Arguments& arguments, ReadingFlags& flags) {
  arguments.option("-f,--format", flags.format, "Format of the input (serval formats) [auto: by content]",
                   "NAME");
  arguments.option("--truncated", flags.truncated,
                   "A text file whose last line is cut off; jsonl is always read up to the cut [error]",
                   "error|ok");
  arguments.option("--progress", flags.progress, "Progress on standard error [auto]", "auto|plain|none");
}

void require_valid(const ReadingFlags& flags) {
  choose_format("--format", flags.format);
  choose_progress(flags.progress);
  accepts_truncated(flags);
}

LoadedHistory load_history(const std::string& path, const ReadingFlags& flags, Budget* budget,
                           Progress& progress) {
  LoadedHistory loaded;
  ReadOptions options = options_for(flags, budget, progress, loaded.notices);
  options.on_format = [&](const FormatInfo& format) { loaded.format = format.name; };
  options.on_positions = [&] { loaded.has_positions = true; };
  loaded.history = read_history(path, options);
  return loaded;
}

LoadedLog load_jepsen_log(const std::string& path, const ReadingFlags& flags, Budget* budget,
                          Progress& progress) {
  LoadedLog loaded;
  ReadOptions options = options_for(flags, budget, progress, loaded.notices);
  options.on_format = [&](const FormatInfo& format) { loaded.format = format.name; };
  loaded.log = read_jepsen_log(path, options);
  return loaded;
}

LoadedHistory load_history(const std::string& path, const ReadingFlags& flags, Budget& budget) {
  require_valid(flags);
  Progress progress(choose_progress(flags.progress), path);
  LoadedHistory loaded = load_history(path, flags, &budget, progress);
  progress.clear();
  for (const std::string& notice : loaded.notices) note("note: " + notice);
  return loaded;
}

}  // namespace serval::cli
