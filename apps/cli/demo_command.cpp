// serval demo: a level that holds, with its proof, and an anomaly, found and explained, on embedded
// databases. It keeps the recordings, so that the commands at the end of the reports work.

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "exit_code.h"
#include "output.h"
#include "run_command.h"
#include "serval/database/database.h"
#include "verb.h"

namespace serval::cli {
namespace {

bool is_built_in(std::string_view driver) {
  const auto found = std::ranges::find(all_drivers(), driver, &DriverInfo::name);
  return found != all_drivers().end() && found->open != nullptr;
}

int show(const RunFlags& flags, std::string_view typed) {
  print(fmt::format("\n$ serval run {}\n", typed));
  const int code = run_database(flags);
  print(fmt::format("exit code {}\n", code));
  return code;
}

int show_a_level_that_holds() {
  const bool real = is_built_in("sqlite");
  const char* const database = real ? "sqlite:" : "simulated:";
  print(
      fmt::format("1. Eight clients append to lists in {}. Is it strictly serializable? The order found is "
                  "re-proved:\n",
                  real ? "SQLite" : "the simulated database"));
  RunFlags flags;
  flags.address = database;
  flags.time = "3s";
  flags.seed = "7";
  flags.verify = true;
  return show(flags, fmt::format("{} -w list-append -t 3s --seed 7 --verify", database));
}

int show_an_anomaly() {
  const bool real = is_built_in("rocksdb");
  RunFlags flags;
  flags.address = real ? "rocksdb:" : "simulated:";
  flags.isolation = real ? "snapshot-isolation" : "strong-snapshot-isolation";
  flags.level = "serializable";
  flags.time = "5s";
  flags.seed = "7";
  flags.report.max_anomalies = "1";
  flags.stop_on_violation = true;
  print(fmt::format(
      "\n2. {} at snapshot isolation, for an application that needs serializability: no, and here is why:\n",
      real ? "RocksDB" : "The simulated database"));
  return show(flags,
              fmt::format("{} -w list-append -i {} --level serializable -t 5s --seed 7 --max-anomalies 1 "
                          "--stop-on-violation",
                          flags.address, flags.isolation));
}

int demonstrate() {
  if (const int code = show_a_level_that_holds(); code != kHolds) return code;
  const int code = show_an_anomaly();
  if (code != kViolated) return code == kHolds ? static_cast<int>(kUndecided) : code;
  std::error_code unknown;
  print(
      fmt::format("\nThe recordings stay in {}/.\nNext: serval drivers   (your database: its address, and "
                  "what it promises)\n",
                  std::filesystem::absolute("serval-out", unknown).string()));
  return kHolds;
}

}  // namespace

Action declare_demo(Arguments& /*arguments*/) { return demonstrate; }

}  // namespace serval::cli
