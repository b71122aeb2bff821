#include "serval/database/simulated/simulate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/database/simulated/recorder.h"
#include "serval/database/simulated/reorder.h"
#include "serval/database/simulated/simulated_database.h"
#include "serval/database/simulated/step_queue.h"
#include "serval/history/notation.h"
#include "serval/workload/workload.h"

namespace serval {
namespace simulated {
namespace {

[[noreturn]] void refuse(const std::string& problem, std::string hint = {}) {
  throw InputError({"simulation", 0, 0}, problem, {}, std::move(hint));
}

void check_share(double share, std::string_view name) {
  if (!(share >= 0 && share <= 1)) refuse(fmt::format("{} is {}, expected 0 to 1", name, share));
}

constexpr std::uint64_t kMostKeys = 100'000'000;            // The store keeps an entry for each.
constexpr std::uint64_t kMostTransactions = 1'000'000'000;  // Ids of a history have 32 bits.

void check_options(const SimulationOptions& options) {
  if (options.sessions == 0) refuse("no sessions", "at least one session");
  if (options.keys == 0 || options.keys > kMostKeys)
    refuse(fmt::format("{} keys", options.keys), fmt::format("1 to {} keys", kMostKeys));
  if (options.transactions > kMostTransactions)
    refuse(fmt::format("{} transactions", options.transactions),
           fmt::format("at most {} transactions", kMostTransactions));
  check_share(options.abort_share, "the share of aborted transactions");
  check_share(options.indeterminate_share, "the share of indeterminate transactions");
}

History parse_plant(const SimulationOptions& options, const WorkloadInfo& workload) {
  if (options.plant.empty()) return History{};
  const PlantedAnomaly& anomaly = parse_planted_anomaly(options.plant);
  History notation = parse_history(anomaly.notation, std::string(anomaly.name));
  if (workload.data != WorkloadInfo::Data::Registers)
    refuse(fmt::format("anomalies cannot be planted into {}", workload.name),
           "a workload of registers, such as mini");
  if (options.sessions < notation.session_count())
    refuse(fmt::format("{} needs {} sessions", anomaly.name, notation.session_count()));
  if (options.plant == "read-skew-realtime" && options.times == SimulationOptions::Times::None)
    refuse("read-skew-realtime needs times");
  return notation;
}

Value initial_value(const WorkloadInfo& workload) {
  return workload.data == WorkloadInfo::Data::Registers ? Value::integer(0) : Value::nil();
}

// Simulated clients ask what they planned, whatever they are told.
Workload planned_workload(const SimulationOptions& options) {
  Workload workload =
      make_workload(options.workload, make_key_choice(options.key_distribution, options.keys));
  if (workload.info->form == WorkloadInfo::Form::Plans) return workload;
  std::vector<std::string_view> names;
  for (const WorkloadInfo& info : all_workloads())
    if (info.form == WorkloadInfo::Form::Plans) names.push_back(info.name);
  refuse(
      fmt::format("{} cannot be generated: {}", workload.info->name,
                  workload.info->needs_ranges ? "it asks for ranges" : "its requests depend on answers"),
      fmt::format("serval gen runs {}; serval run simulated: runs every workload", fmt::join(names, ", ")));
}

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options)
      : Simulation(options, planned_workload(options), Random(options.seed)) {}

  History run() && {
    for (std::uint32_t session = 0; session < options_.sessions; ++session) queue_.schedule(session, 0);
    run_until_quiescent();
    if (plant_.transaction_count() > 0) {
      plant();
      run_until_quiescent();
    }
    note_facts();
    return std::move(recorder_).finish();
  }

 private:
  // What a session is about to do.
  struct Client {
    enum class Next : std::uint8_t { Begin, Operation, Commit };
    Next next = Next::Begin;
    RunningTransaction transaction;
  };

  Simulation(const SimulationOptions& options, Workload workload, Random seeds)
      : options_(options),
        workload_(std::move(workload)),
        plant_(parse_plant(options, *workload_.info)),
        plans_(seeds.next()),
        choices_(seeds.next()),
        queue_(seeds.next()),
        recorder_(options, initial_value(*workload_.info)),
        database_(options.level, workload_.info->data, options.bugs, options.sessions, seeds.next(),
                  recorder_.values()),
        clients_(options.sessions),
        begin_limit_(plant_.transaction_count() > 0 ? choices_.below(options.transactions + 1)
                                                    : options.transactions) {
    for (std::uint32_t session = 0; session < options.sessions; ++session)
      clients_[session].transaction.session = session;
  }

  void run_until_quiescent() {
    while (!queue_.empty()) {
      if (options_.budget != nullptr) options_.budget->poll("simulate");
      take(queue_.take());
    }
  }

  void take(const Step& step) {
    Client& client = clients_[step.session];
    switch (client.next) {
      case Client::Next::Begin:
        return begin(client, step);
      case Client::Next::Operation:
        return operate(client, step);
      case Client::Next::Commit:
        return commit(client, step);
    }
  }

  void go_on(const Step& step) { queue_.schedule(step.session, step.answer); }

  // Sessions that find no more transactions to begin stop here, so an empty queue is a database at rest.
  void begin(Client& client, const Step& step) {
    if (begun_ >= begin_limit_) return;
    ++begun_;
    TransactionPlan plan = workload_.generator->next(plans_, step.session);
    plan.abort = choices_.chance(options_.abort_share);
    client.transaction.restart(std::move(plan), step.call, database_.position());
    database_.begin(client.transaction);
    client.next = Client::Next::Operation;
    go_on(step);
  }

  void operate(Client& client, const Step& step) {
    RunningTransaction& transaction = client.transaction;
    const auto& operations = transaction.plan.operations;
    const PlannedOperation& planned = operations[transaction.next_operation++];
    if (database_.perform(transaction, planned, {step.call, step.answer}) ==
        SimulatedDatabase::Answer::Conflict) {
      database_.roll_back(transaction);
      return end(client, step, Outcome::Aborted);
    }
    if (transaction.next_operation == operations.size()) client.next = Client::Next::Commit;
    go_on(step);
  }

  void commit(Client& client, const Step& step) {
    RunningTransaction& transaction = client.transaction;
    if (transaction.plan.abort) {
      database_.roll_back(transaction);
      return end(client, step, Outcome::Aborted);
    }
    if (transaction.installed_writes == 0 && choices_.chance(options_.indeterminate_share / 2)) {
      database_.roll_back(transaction);
      return end(client, step, Outcome::Indeterminate);
    }
    const SimulatedDatabase::CommitAnswer answer = database_.commit(transaction);
    if (answer == SimulatedDatabase::CommitAnswer::HalfWay) return go_on(step);
    const bool answer_is_lost = choices_.chance(options_.indeterminate_share / 2);
    const Outcome outcome =
        answer == SimulatedDatabase::CommitAnswer::Committed ? Outcome::Committed : Outcome::Aborted;
    end(client, step, answer_is_lost ? Outcome::Indeterminate : outcome);
  }

  void end(Client& client, const Step& step, Outcome outcome) {
    recorder_.record(client.transaction, outcome, step.answer);
    client.next = Client::Next::Begin;
    rest_ = std::max(rest_, step.answer);
    go_on(step);
  }

  void plant() {
    constexpr Time kUnit = 1000;
    Recorder::Translation translation{
        .first_key = options_.keys,
        .first_value = database_.fresh_value().as_integer(),
        .first_session = static_cast<std::uint32_t>(choices_.below(options_.sessions)),
        .sessions = options_.sessions,
        .rest = rest_ + kUnit,
        .unit = kUnit};
    for (std::size_t i = 0; i < plant_.operation_count(); ++i) database_.fresh_value();
    std::vector<TransactionId> by_end;
    for (const TransactionId t : plant_.transactions()) by_end.push_back(t);
    std::ranges::stable_sort(by_end, {}, [&](TransactionId t) { return plant_.interval(t).end; });
    for (const TransactionId t : by_end) recorder_.record_planted(plant_, t, translation);
    resume(translation.rest + 10 * kUnit);
  }

  void resume(Time time) {
    database_.quiesce();
    begin_limit_ = options_.transactions;
    for (std::uint32_t session = 0; session < options_.sessions; ++session) queue_.schedule(session, time);
  }

  void note_facts() {
    recorder_.note("database", "simulated");
    recorder_.note("isolation", std::string(info(options_.level).name));
    recorder_.note("workload", options_.workload);
    recorder_.note("keys", fmt::format("{} {}", options_.keys, options_.key_distribution));
    recorder_.note("seed", std::to_string(options_.seed));
    if (!options_.plant.empty()) recorder_.note("planted", options_.plant);
    for (const SimulatedBug& bug : options_.bugs)
      recorder_.note(fmt::format("bug {}", info(bug.kind).name),
                     fmt::format("fired {} times", database_.bugs().fired(bug.kind)));
  }

  const SimulationOptions& options_;
  Workload workload_;
  History plant_;  // No transactions: nothing to plant.
  Random plans_, choices_;
  StepQueue queue_;
  Recorder recorder_;
  SimulatedDatabase database_;
  std::vector<Client> clients_;
  std::uint64_t begun_ = 0;
  std::uint64_t begin_limit_;  // Until the plant, then until the end.
  Time rest_ = 0;              // When the last answer arrived.
};

}  // namespace
}  // namespace simulated

History simulate(const SimulationOptions& options) {
  simulated::check_options(options);
  History history = simulated::Simulation(options).run();
  switch (options.order) {
    case SimulationOptions::Order::Completion:
      return history;
    case SimulationOptions::Order::Session:
      return simulated::group_by_session(history);
    case SimulationOptions::Order::Shuffled:
      break;
  }
  constexpr std::uint64_t kOther = 0x5EED;  // The run and its order in the file draw from different seeds.
  Random random(options.seed ^ kOther);
  return simulated::shuffle(history, random);
}

}  // namespace serval
