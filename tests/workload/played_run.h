#pragma once
// A workload run on a MemoryStore, one transaction after another, with all requests and answers.
//
//   const PlayedRun run = play_run("bank", {.transactions = 1000});
//   run.transactions[0].steps[0].asked.kind == Request::Kind::Read

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serval/workload/workload.h"
#include "workload/memory_store.h"

namespace serval {

struct RunOptions {
  std::size_t transactions = 1000;
  std::uint32_t sessions = 4;
  std::uint64_t seed = 7;
  double abort_share = 0.02;
  KeyRequest keys{};
  StoreFaults faults{};
};

struct PlayedTransaction {
  struct Step {
    Request asked;
    Answer answer;
  };
  std::vector<Step> steps;
  bool aborted_by_script = false;

  std::size_t count(Request::Kind kind) const;
  std::size_t count(Request::Kind kind, std::uint32_t table) const;
};

struct PlayedRun {
  Schema schema;
  std::vector<PlayedTransaction> transactions;
  std::vector<std::string> broken_invariants;  // At the end of the run.
};

PlayedRun play_run(std::string_view spec, const RunOptions& options = {});

// The same with the requests of all sessions in a random order and without any isolation; nothing is
// rolled back. Returns the invariants that are broken at the end.
std::vector<std::string> broken_without_isolation(std::string_view spec, const RunOptions& options = {});

}  // namespace serval
