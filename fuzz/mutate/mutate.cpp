// Runs damaged files through `serval check`, many thousands per minute: the command line is linked in,
// and each file is checked in a forked process, without loading anything again. Whatever the file, the
// exit code must be 0, 1, 2 or 3.
//
//   serval_mutate [--files N] [--seed N] [--keep FOLDER] [--exec SERVAL] [--target NAME] FILE-OR-FOLDER...
//
// --exec starts that program instead, once per file. --target passes the bytes to a target of fuzz/;
// this does not need clang, but nothing guides the search. Failing files are kept and printed with their
// command.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "mutations.h"
#include "target.h"

int serval_main(int argument_count, char** arguments);  // main() of apps/cli.

namespace serval::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr unsigned kMostSeconds = 30;
constexpr std::uintmax_t kMostBytes = 64 * 1024;

struct Plan {
  std::uint64_t files = 2000, seed = 0;
  fs::path keep = fs::temp_directory_path() / "serval-mutate";
  std::string program;             // Empty for the one that is linked in.
  const Target* target = nullptr;  // Null for the command line.
  std::vector<fs::path> inputs;
};

[[noreturn]] void refuse(const std::string& problem) {
  std::fprintf(stderr, "serval_mutate: %s\n", problem.c_str());
  std::exit(64);
}

std::uint64_t fresh_seed() {
  const char* const given = std::getenv("SERVAL_RANDOM_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

const Target* target_named(const std::string& name) {
  const Target* const target = find_target(name);
  if (target == nullptr) refuse("there is no target " + name);
  return target;
}

Plan plan_of(int count, char** words) {
  Plan plan{.seed = fresh_seed()};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] {
      return ++i < count ? std::string(words[i]) : (refuse(word + " needs a value"), "");
    };
    if (word == "--files")
      plan.files = std::stoull(value());
    else if (word == "--seed")
      plan.seed = std::stoull(value());
    else if (word == "--keep")
      plan.keep = value();
    else if (word == "--exec")
      plan.program = value();
    else if (word == "--target")
      plan.target = target_named(value());
    else
      plan.inputs.emplace_back(word);
  }
  return plan;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> seeds_of(const std::vector<fs::path>& inputs) {
  std::vector<std::string> seeds;
  const auto take = [&](const fs::path& path) {
    std::error_code unreadable;  // For example, a link to itself.
    if (fs::is_regular_file(path, unreadable) && fs::file_size(path) > 0 && fs::file_size(path) <= kMostBytes)
      seeds.push_back(bytes_of(path));
  };
  for (const fs::path& input : inputs) {
    if (!fs::is_directory(input)) take(input);
    if (!fs::is_directory(input)) continue;
    std::vector<fs::path> found(fs::recursive_directory_iterator{input}, {});
    std::ranges::sort(found);  // The same seed must give the same files.
    for (const fs::path& path : found) take(path);
  }
  if (seeds.empty()) refuse("no files to start from");
  return seeds;
}

std::vector<std::string> command_for(const std::string& path, Random& random) {
  static constexpr std::array kLevels{
      "serializable",    "SI",           "read-committed",  "causal", "strict-serializable",
      "repeatable-read", "linearizable", "read-uncommitted"};
  static constexpr std::array kAssumptions{"versions", "commit-order", "sequential-keys",
                                           "linearizable-keys"};
  std::vector<std::string> words{"serval", "check", path, "--verify", "--timeout", "5s"};
  const auto add = [&](double chance, std::initializer_list<std::string> more) {
    if (random.chance(chance)) words.insert(words.end(), more);
  };
  add(0.4, {"--level", kLevels[random.below(kLevels.size())]});
  add(0.2, {"--json"});
  add(0.2, {"--truncated", "ok"});
  add(0.1, {"--verbose", "--explain-engine"});
  add(0.1, {"--assume", kAssumptions[random.below(kAssumptions.size())]});
  add(0.05, {"--expected-order", "completion"});
  return words;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int feed(const Target& target, const std::string& path) {
  try {
    target.run(bytes_of(path));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
}

// Runs in the child.
[[noreturn]] void check_and_exit(const Plan& plan, std::vector<std::string> words) {
  std::freopen("/dev/null", "w", stdout);
  if (plan.target == nullptr) std::freopen("/dev/null", "w", stderr);
  alarm(kMostSeconds);
  if (plan.target != nullptr) _exit(feed(*plan.target, words[2]));
  std::vector<char*> pointers = pointers_to(words);
  if (!plan.program.empty()) {
    execv(plan.program.c_str(), pointers.data());
    _exit(127);
  }
  const int code = serval_main(static_cast<int>(words.size()), pointers.data());
  std::fflush(stdout);
  _exit(code);
}

// The exit code, or 1000 plus the signal.
int run(const Plan& plan, const std::vector<std::string>& words) {
  const pid_t child = fork();
  if (child < 0) refuse("cannot fork");
  if (child == 0) check_and_exit(plan, words);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

void keep(const Plan& plan, std::uint64_t number, const std::string& bytes, int code,
          const std::vector<std::string>& words) {
  fs::create_directories(plan.keep);
  const fs::path kept = plan.keep / ("file-" + std::to_string(plan.seed) + "-" + std::to_string(number));
  std::ofstream(kept, std::ios::binary) << bytes;
  std::printf("exit code %d: %s:", code, kept.c_str());
  for (const std::string& word : words) std::printf(" %s", word == words[2] ? kept.c_str() : word.c_str());
  std::printf("\n");
}

int mutate(const Plan& plan) {
  const std::vector<std::string> seeds = seeds_of(plan.inputs);
  const fs::path shared = fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  const fs::path file = shared / ("serval-mutate-" + std::to_string(getpid()));
  std::printf("%zu files to start from, SERVAL_RANDOM_SEED=%llu\n", seeds.size(),
              static_cast<unsigned long long>(plan.seed));
  std::map<int, std::uint64_t> codes;
  std::uint64_t failures = 0;
  for (std::uint64_t i = 0; i < plan.files && failures < 50; ++i) {
    Random random(plan.seed * 1'000'003 + i);
    const std::string bytes =
        mutated(seeds[random.below(seeds.size())], seeds[random.below(seeds.size())], random);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    const std::vector<std::string> words = command_for(file.string(), random);
    const int code = run(plan, words);
    ++codes[code];
    if (code <= 3) continue;
    ++failures;
    keep(plan, i, bytes, code, words);
  }
  fs::remove(file);
  for (const auto& [code, count] : codes)
    std::printf("exit code %d: %llu\n", code, static_cast<unsigned long long>(count));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace serval::fuzz

int main(int argument_count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return serval::fuzz::mutate(serval::fuzz::plan_of(argument_count, arguments));
}
