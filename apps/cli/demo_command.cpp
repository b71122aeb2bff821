// serval demo: a level that holds, with its proof, and an anomaly, found and explained; on databases that
// need no server.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "exit_code.h"
#include "output.h"
#include "run_command.h"
#include "serval/base/error.h"
#include "serval/database/database.h"
#include "verb.h"

namespace serval::cli {
namespace {

// Recordings of a demonstration are of no use to anybody: they lie in a folder that goes with it.
class ScratchFolder {
 public:
  ScratchFolder() : before_(std::filesystem::current_path()) {
    std::string name = (std::filesystem::temp_directory_path() / "serval-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw OutputError("cannot make a temporary folder " + name);
    folder_ = name;
    std::filesystem::current_path(folder_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

 private:
  std::filesystem::path before_, folder_;
};

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
      fmt::format("1. Eight clients append to lists in {}. Is that strictly serializable? The order found is "
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
  flags.max_anomalies = "1";
  flags.stop_on_violation = true;
  print(fmt::format(
      "\n2. {} with snapshots, for an application that needs serializability: no, and this is why:\n",
      real ? "RocksDB" : "The simulated database"));
  return show(flags,
              fmt::format("{} -w list-append -i {} --level serializable -t 5s --seed 7 --max-anomalies 1 "
                          "--stop-on-violation",
                          flags.address, flags.isolation));
}

int demonstrate() {
  const ScratchFolder scratch;
  if (const int code = show_a_level_that_holds(); code != kHolds) return code;
  const int code = show_an_anomaly();
  if (code != kViolated) return code == kHolds ? static_cast<int>(kUndecided) : code;
  print("\nNext: serval run postgres://HOST/DATABASE   (serval drivers, serval workloads)\n");
  return kHolds;
}

}  // namespace

Action declare_demo(Arguments& /*arguments*/) { return demonstrate; }

}  // namespace serval::cli
