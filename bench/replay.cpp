// What do the replay of an expected order (Enne) and the graph of a certificate (Emme) cost? The setups
// of the paper's sections 8.2 and 8.3, in processor time. Measures reading the binary file, and the
// check: it either finds the order, replays it and verifies real time, or reads the certificate and
// searches for an order.
//
//   replay [MOST_TRANSACTIONS]        default: 1,000,000
//
// Numbers of transactions count committed ones, as in the paper. About a third as many are also recorded
// as aborted.
#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "processor_time.h"
#include "serval/base/byte_stream.h"
#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"
#include "serval/formats/format.h"

namespace serval {
namespace {

struct SetUp {
  const char* name;
  const char* workload;
  std::uint64_t keys;
  std::uint64_t transactions;  // Committed.
};

std::uint64_t committed(const History& history) {
  return static_cast<std::uint64_t>(std::ranges::count(history.outcome_column(), Outcome::Committed));
}

// As many as it takes to get this number of commits.
History made(const SetUp& set_up) {
  SimulationOptions options{
      .workload = set_up.workload, .transactions = set_up.transactions, .keys = set_up.keys};
  const History first = simulate(options);
  const double share = static_cast<double>(committed(first)) / static_cast<double>(set_up.transactions);
  options.transactions = static_cast<std::uint64_t>(static_cast<double>(set_up.transactions) / share * 1.005);
  return simulate(options);
}

void measure(const SetUp& set_up, Engine engine) {
  const std::string bytes = write_to_string(made(set_up), Format::Binary);
  History history;
  const double reading = seconds_of([&] {
    ByteStream stream = ByteStream::from_memory("-", bytes);
    history = read_history(stream);
  });
  Budget budget = Budget::unlimited();
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    bool right = false;
    best = std::min(
        best, seconds_of([&] {
          right =
              holds(check(history, Level::StrictSerializable, {.engine = engine, .budget = &budget}).verdict);
        }));
    if (right) continue;
    fmt::print(stderr, "{}: a serializable history is not proven so\n", set_up.name);
    std::exit(1);
  }
  fmt::print("{:<12} {:<22} {:>6} {:>10} {:>10} {:>10.1f} {:>10.3f} {:>10.3f} {:>12.2f}\n",
             engine == Engine::Replay ? "replay" : "certificate", set_up.name, set_up.keys,
             committed(history), history.operation_count(), static_cast<double>(bytes.size()) * 1e-6, reading,
             best, best / static_cast<double>(committed(history)) * 1e6);
}

}  // namespace
}  // namespace serval

int main(int count, char** arguments) {
  const std::uint64_t most = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1'000'000;
  const char* items = "predicate-mix:predicates=0,reads=0.4,increments=0.2,inserts=0.1,deletes=0";
  const char* half = "predicate-mix:predicates=0.5";
  fmt::print("{:<12} {:<22} {:>6} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12}\n", "engine", "operations",
             "keys", "committed", "operations", "file (MB)", "read (s)", "check (s)", "us a txn");
  for (const serval::Engine engine : {serval::Engine::Replay, serval::Engine::Certificate}) {
    for (std::uint64_t size = 10'000; size <= most; size *= 10)
      serval::measure({"single rows", items, 1000, size}, engine);
    serval::measure({"half over ranges", half, 100, 2500}, engine);
    for (std::uint64_t size = 10'000; size <= most; size *= 10)
      serval::measure({"half over ranges", half, 100, size}, engine);
  }
}
