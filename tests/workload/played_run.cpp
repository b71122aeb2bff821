#include "workload/played_run.h"

#include <algorithm>

namespace serval {
namespace {

constexpr std::size_t kMostSteps = 5000;  // A script that takes more steps never ends.

std::vector<std::string> broken_in(MemoryStore& store, const Workload& workload) {
  FinalState state([&](const Request& request) { return store.perform(request); });
  return workload.generator->broken_invariants(state);
}

}  // namespace

std::size_t PlayedTransaction::count(Request::Kind kind) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [kind](const Step& step) { return step.asked.kind == kind; }));
}

std::size_t PlayedTransaction::count(Request::Kind kind, std::uint32_t table) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      steps, [=](const Step& step) { return step.asked.kind == kind && step.asked.table == table; }));
}

PlayedRun play_run(std::string_view spec, const RunOptions& options) {
  const Workload workload = make_workload(spec, options.keys);
  PlayedRun run{workload.generator->schema(), {}, {}};
  MemoryStore store(run.schema, options.faults);
  Random draws(options.seed), choices(options.seed + 1);
  std::vector<KnownTags> known(options.sessions);
  std::int64_t tag = 0;
  for (std::size_t i = 0; i < options.transactions; ++i) {
    const auto session = static_cast<std::uint32_t>(i % options.sessions);
    const std::unique_ptr<Script> script = workload.generator->next_script(draws, session, known[session]);
    PlayedTransaction& played = run.transactions.emplace_back();
    while (std::optional<Request> request = script->next()) {
      request->tag = ++tag;
      played.steps.push_back({*request, store.perform(*request)});
      script->complete(*request, played.steps.back().answer);
      expects(played.steps.size() < kMostSteps, "a script that ends");
    }
    played.aborted_by_script = script->aborts();
    if (played.aborted_by_script || choices.chance(options.abort_share))
      store.roll_back();
    else
      store.commit();
  }
  run.broken_invariants = broken_in(store, workload);
  return run;
}

std::vector<std::string> broken_without_isolation(std::string_view spec, const RunOptions& options) {
  const Workload workload = make_workload(spec, options.keys);
  MemoryStore store(workload.generator->schema(), options.faults);
  Random draws(options.seed), order(options.seed + 1);
  std::vector<KnownTags> known(options.sessions);
  std::vector<std::unique_ptr<Script>> scripts(options.sessions);
  std::int64_t tag = 0;
  for (std::size_t begun = 0, ended = 0; ended < options.transactions;) {
    const auto session = static_cast<std::uint32_t>(order.below(options.sessions));
    if (!scripts[session]) {
      if (begun == options.transactions) continue;
      scripts[session] = workload.generator->next_script(draws, session, known[session]);
      ++begun;
    }
    std::optional<Request> request = scripts[session]->next();
    if (!request) {
      scripts[session].reset();
      ++ended;
      continue;
    }
    request->tag = ++tag;
    scripts[session]->complete(*request, store.perform(*request));
  }
  return broken_in(store, workload);
}

}  // namespace serval
