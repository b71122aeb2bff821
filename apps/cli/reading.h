#pragma once
// Reads a history for a command, with its format, progress and notices.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "progress.h"
#include "serval/formats/format.h"
#include "serval/formats/jepsen/jepsen_log.h"

namespace serval::cli {

// The flags of every verb that reads a history.
struct ReadingFlags {
  std::string format = "auto";
  std::string truncated = "error";
  std::string progress = "auto";
};
void declare_reading_flags(Arguments& arguments, ReadingFlags& flags);
void require_valid(const ReadingFlags& flags);  // Throws UsageError before any file is opened.

struct LoadedHistory {
  History history;
  std::string format;                // Its name.
  std::vector<std::string> notices;  // What the reader skipped or repaired.
  bool has_positions = false;        // Positions take the place of times.
};
// Throws InputError, BudgetExhausted, std::bad_alloc.
LoadedHistory load_history(const std::string& path, const ReadingFlags& flags, Budget* budget,
                           Progress& progress);
struct LoadedLog {
  ClientLog log;
  std::string format;
  std::vector<std::string> notices;
};
// The operations of a Jepsen file, unchanged, for models. Throws as above.
LoadedLog load_jepsen_log(const std::string& path, const ReadingFlags& flags, Budget* budget,
                          Progress& progress);
// The same with its own progress line; notices go to standard error.
LoadedHistory load_history(const std::string& path, const ReadingFlags& flags, Budget& budget);

}  // namespace serval::cli
