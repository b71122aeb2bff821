// How many records per second does the pipeline put in order, and in how much memory (Leopard, Fig. 9)?
// Clients produce records as fast as they can, each in its own thread. The merge passes them to a
// verifier that only reads them.
//
//   pipeline [RECORDS] [CLIENTS]      default: 20M, 24
//
//   even      all clients are equally busy, so consecutive records come from different clients
//   bursts    each client has runs of 64 records in which the others are quiet
//   uneven    one client produces half of all records
//   small     even, but in batches of 8 records: what batches are for

#include "serval/stream/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace {

using serval::ClientFeed;
using serval::Pipeline;
using serval::Record;
using serval::Time;

struct Shape {
  std::string_view name;
  Time burst;         // Consecutive records of one client.
  bool uneven;        // The first client produces half of them.
  std::size_t batch;  // Records.
};

void make_records(ClientFeed& feed, const Shape& shape, std::uint64_t count, Time step,
                  std::uint32_t client) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Record& record = feed.batch().add();
    const Time number = static_cast<Time>(i);
    const Time round = number / shape.burst;
    record.time.begin = round * shape.burst * step + client * shape.burst + number % shape.burst;
    record.time.end = record.time.begin + 1000;
    record.transaction = i / 4;
    feed.batch().set_rows(record, {{.key = serval::TraceValue::of(number % 1000),
                                    .value = serval::TraceValue::of(number),
                                    .column = {}}});
    feed.advance();
  }
  feed.close();
}

double thread_seconds() {
  std::timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::size_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:" && status >> word) return std::stoull(word) << 10;
  return 0;
}

struct Seen {
  std::uint64_t records = 0;
  bool in_order = true;
  Time last = serval::kUnknownBegin;
  std::int64_t sum = 0;  // So that rows are read.
  void look(std::span<const Record> run) {
    for (const Record& record : run) {
      in_order = in_order && last <= record.time.begin;
      last = record.time.begin;
      sum += record.rows->value.integer;
    }
    records += run.size();
  }
};

int measure(const Shape& shape, std::uint64_t records, std::uint32_t clients) {
  Pipeline pipeline({.batch_records = shape.batch, .memory_limit = std::size_t{16} << 20});
  std::vector<ClientFeed*> feeds;
  for (std::uint32_t i = 0; i < clients; ++i)
    feeds.push_back(pipeline.open_client(fmt::format("client {}", i)).get());
  pipeline.no_more_clients();
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  const double merge = thread_seconds();
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      const std::uint64_t busy =
          shape.uneven ? (i == 0 ? records / 2 : records / 2 / (clients - 1)) : records / clients;
      make_records(*feeds[i], shape, busy, shape.uneven && i == 0 ? 2 : 2 * clients, i);
    });
  Seen seen;
  std::size_t resident = 0;
  for (auto progress = Pipeline::Progress::Moved; progress != Pipeline::Progress::Done;) {
    progress = pipeline.dispatch([&](std::span<const Record> run) { seen.look(run); });
    resident = std::max(resident, resident_bytes());
    if (progress == Pipeline::Progress::Waiting) pipeline.wait(std::chrono::seconds(1));
  }
  const double merging = thread_seconds() - merge;
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double all = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  const auto made = static_cast<double>(seen.records);
  fmt::print(
      "{:8} {:6.1f} M records in {:6.2f} s: {:5.1f} M/s   processor {:5.1f} ns a record, merge {:4.1f}   ",
      shape.name, made * 1e-6, seconds, made * 1e-6 / seconds, all * 1e9 / made, merging * 1e9 / made);
  fmt::print("waiting at most {:5.1f} MiB   resident {:5.1f} MiB{}\n",
             static_cast<double>(pipeline.status().most_bytes) / (1 << 20),
             static_cast<double>(resident) / (1 << 20), seen.in_order ? "" : "   OUT OF ORDER");
  return seen.in_order ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t records = count > 1 ? std::strtoull(words[1], nullptr, 10) : 20'000'000;
  const auto clients = static_cast<std::uint32_t>(count > 2 ? std::strtoul(words[2], nullptr, 10) : 24);
  int failures = 0;
  for (const Shape& shape :
       {Shape{"even", 1, false, 512}, Shape{"bursts", 64, false, 512}, Shape{"uneven", 1, true, 512}})
    for (const std::uint64_t size : {records / 10, records}) failures += measure(shape, size, clients);
  failures += measure({"small", 1, false, 8}, records / 10, clients);
  return failures == 0 ? 0 : 1;
}
