// How fast is the PolySI text reader compared with `wc -w`? Both read the same file of
// mini-transactions, in turns, in one run, so that a busy machine slows both. The best time of each
// counts.
//
//   read_text [TRANSACTIONS] [ROUNDS]     defaults: 1000000 5
//   read_text FILE [ROUNDS]               measures a file of yours

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "serval/base/random.h"
#include "serval/formats/format.h"

namespace {

using Clock = std::chrono::steady_clock;

// A serial execution of the shapes r, rr, rw, rrw and rwrw over 10,000 keys by 20 sessions.
void write_mini_transactions(const std::string& path, std::uint64_t transactions) {
  std::ofstream file(path, std::ios::binary);
  serval::Random random(1);
  std::vector<std::uint64_t> current(10'000, 0);
  std::uint64_t last_value = 0;
  for (std::uint64_t txn = 0; txn < transactions; ++txn) {
    const std::uint64_t session = random.below(20);
    const auto step = [&](char verb, std::uint64_t key) {
      if (verb == 'w') current[key] = ++last_value;
      file << fmt::format("{}({},{},{},{})\n", verb, key, current[key], session, txn);
    };
    const std::uint64_t first = random.below(current.size());
    const std::uint64_t second = random.below(current.size());
    const std::uint64_t shape = random.below(100);
    step('r', first);
    if (shape >= 25 && (shape < 40 || shape >= 60)) step('w', first);
    if ((shape >= 10 && shape < 25) || shape >= 40) step('r', second);
    if (shape >= 40) step('w', second);
  }
}

template <class Task>
double seconds(Task&& task) {
  const Clock::time_point start = Clock::now();
  task();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int compare(const std::string& path, int rounds) {
  const std::string count_words = "LC_ALL=C wc -w '" + path + "' > /dev/null";
  double reader = 1e9, words = 1e9;
  std::size_t operations = 0;
  for (int round = 0; round < rounds; ++round) {
    reader = std::min(reader, seconds([&] { operations = serval::read_history(path).operation_count(); }));
    int status = 0;
    words = std::min(words, seconds([&] { status = std::system(count_words.c_str()); }));
    if (status != 0) return EXIT_FAILURE;
  }
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  fmt::print("{} operations, {:.1f} MB, best of {}\n", operations, megabytes, rounds);
  fmt::print("serval reader {:.3f} s ({:.0f} MB/s)\n", reader, megabytes / reader);
  fmt::print("wc -w         {:.3f} s ({:.0f} MB/s)\n", words, megabytes / words);
  fmt::print("reader / wc   {:.2f}\n", reader / words);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string subject = argc > 1 ? argv[1] : "1000000";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  if (std::filesystem::exists(subject)) return compare(subject, rounds);
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("serval-read-text-{}.txt", ::getpid());
  write_mini_transactions(path.string(), std::strtoull(subject.c_str(), nullptr, 10));
  const int status = compare(path.string(), rounds);
  std::filesystem::remove(path);
  return status;
}
