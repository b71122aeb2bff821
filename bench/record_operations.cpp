// What does recording cost a session? Transactions of four operations are logged as a campaign logs
// them, with both times of every operation, by one thread and by eight, while the recorder writes the
// file.
//
//   record_operations [TRANSACTIONS per thread]     default: 500000

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "serval/base/clock.h"
#include "serval/recording/recorder.h"

namespace {

using serval::Answer;
using serval::Request;

void log_transactions(serval::Recorder& recorder, int thread, std::int64_t transactions) {
  serval::SessionLog& log = recorder.open_session();
  const Answer seen{.rows = {{.tag = 123'456}}};
  for (std::int64_t t = 0; t < transactions; ++t) {
    log.begin(serval::now());
    for (std::int64_t i = 0; i < 4; ++i) {
      Request request{.kind = i % 2 == 0 ? Request::Kind::Read : Request::Kind::Write,
                      .key = static_cast<std::uint64_t>((t * 4 + i) % 1000)};
      request.tag = (t * 4 + i) * 8 + thread;
      log.invoke(request, serval::now());
      log.complete(request, seen, serval::now());
    }
    log.end(serval::Outcome::Committed, serval::now(), {});
  }
}

// Processor time per operation, of all threads including the recorder's.
double nanoseconds_an_operation(int threads, std::int64_t transactions) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("serval-record-{}.jsonl", ::getpid())).string();
  const std::clock_t before = std::clock();
  {
    serval::Recorder recorder(path, {.initial = 0}, {{.name = "registers"}});
    std::vector<std::thread> sessions;
    for (int i = 0; i < threads; ++i)
      sessions.emplace_back([&recorder, i, transactions] { log_transactions(recorder, i, transactions); });
    for (std::thread& session : sessions) session.join();
    recorder.finish();
  }
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  std::filesystem::remove(path);
  return seconds * 1e9 / static_cast<double>(threads * transactions * 4);
}

}  // namespace

int main(int count, char** words) {
  const std::int64_t transactions = count > 1 ? std::atoll(words[1]) : 500'000;
  for (const int threads : {1, 8}) {
    const double cost = nanoseconds_an_operation(threads, threads == 1 ? transactions : transactions / 4);
    fmt::print("{} session{}: {:.0f} ns of processor time an operation, the transaction's share included\n",
               threads, threads == 1 ? "" : "s", cost);
  }
  return 0;
}
