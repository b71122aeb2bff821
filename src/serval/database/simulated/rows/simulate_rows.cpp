#include "serval/database/simulated/rows/simulate_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/database/simulated/rows/row_database.h"
#include "serval/database/simulated/rows/row_recorder.h"
#include "serval/database/simulated/step_queue.h"
#include "serval/workload/workload.h"

namespace serval {
namespace simulated {
namespace {

[[noreturn]] void refuse(const std::string& problem, std::string hint = {}) {
  throw InputError({"simulation", 0, 0}, problem, {}, std::move(hint));
}

void check_options(const RowSimulationOptions& options) {
  constexpr std::uint64_t kMostKeys = 10'000'000;
  constexpr std::uint64_t kMostTransactions = 1'000'000'000;
  if (options.sessions < 2) refuse(fmt::format("{} sessions", options.sessions), "at least two sessions");
  if (options.keys == 0 || options.keys > kMostKeys)
    refuse(fmt::format("{} keys", options.keys), fmt::format("1 to {} keys", kMostKeys));
  if (options.transactions > kMostTransactions)
    refuse(fmt::format("{} transactions", options.transactions),
           fmt::format("at most {} transactions", kMostTransactions));
  for (const double share : {options.abort_share, options.indeterminate_share})
    if (!(share >= 0 && share <= 1)) refuse(fmt::format("a share of {}, expected 0 to 1", share));
  for (const SimulatedBug& bug : options.bugs)
    if (bug.kind != SimulatedBugKind::LostUpdate && bug.kind != SimulatedBugKind::WriteSkew &&
        bug.kind != SimulatedBugKind::SkippedValidation)
      refuse(fmt::format("the table of rows has no {}", info(bug.kind).name),
             "it has lost-update, write-skew and skipped-validation");
  if (!options.plant.empty()) {
    std::vector<ChoiceInfo> rows;
    for (const PlantedRows& row : all_planted_rows()) rows.push_back({row.name, {}});
    static_cast<void>(parse_choice("anomaly to plant among rows", options.plant, rows));
  }
}

class RowSimulation {
 public:
  explicit RowSimulation(const RowSimulationOptions& options)
      : RowSimulation(
            options, make_workload(options.workload, make_key_choice(options.key_distribution, options.keys)),
            Random(options.seed)) {}

  History run() && {
    for (std::uint32_t session = 0; session < options_.sessions; ++session) queue_.schedule(session, 0);
    run_until_quiescent();
    if (!options_.plant.empty()) {
      plant();
      run_until_quiescent();
    }
    note_facts();
    return std::move(recorder_).finish();
  }

 private:
  // What a session is about to do.
  struct Client {
    enum class Next : std::uint8_t { Begin, Request, Commit };
    Next next = Next::Begin;
    RowTransaction transaction;
  };

  RowSimulation(const RowSimulationOptions& options, Workload workload, Random seeds)
      : options_(options),
        workload_(std::move(workload)),
        plans_(seeds.next()),
        choices_(seeds.next()),
        queue_(seeds.next()),
        recorder_(options),
        database_(parse_row_level(options.level), options.bugs, options.sessions, seeds.next(),
                  options.certificate == RowSimulationOptions::Certificate::Full
                      ? RowDatabase::Looks::Noted
                      : RowDatabase::Looks::Forgotten,
                  recorder_.values()),
        clients_(options.sessions),
        begin_limit_(options.plant.empty() ? options.transactions
                                           : choices_.below(options.transactions + 1)) {
    for (std::uint32_t session = 0; session < options.sessions; ++session)
      clients_[session].transaction.session = session;
  }

  void run_until_quiescent() {
    while (!queue_.empty()) {
      if (options_.budget != nullptr) options_.budget->poll("simulate");
      const Step step = queue_.take();
      Client& client = clients_[step.session];
      if (client.next == Client::Next::Begin)
        begin(client, step);
      else if (client.next == Client::Next::Request)
        ask(client, step);
      else
        commit(client, step);
    }
  }

  // Sessions that find no more transactions to begin stop here, so an empty queue is a database at rest.
  void begin(Client& client, const Step& step) {
    if (begun_ >= begin_limit_) return;
    ++begun_;
    RowPlan plan = workload_.generator->next_rows(plans_, step.session);
    plan.abort = choices_.chance(options_.abort_share);
    client.transaction.restart(std::move(plan), step.call, database_.position());
    database_.begin(client.transaction);
    client.next = Client::Next::Request;
    queue_.schedule(step.session, step.answer);
  }

  void ask(Client& client, const Step& step) {
    RowTransaction& transaction = client.transaction;
    const RowRequest& request = transaction.plan.requests[transaction.next_request++];
    if (database_.perform(transaction, request, {step.call, step.answer}) == RowDatabase::Answer::Conflict) {
      database_.roll_back(transaction);
      return end(client, step, Outcome::Aborted);
    }
    if (transaction.next_request == transaction.plan.requests.size()) client.next = Client::Next::Commit;
    queue_.schedule(step.session, step.answer);
  }

  void commit(Client& client, const Step& step) {
    RowTransaction& transaction = client.transaction;
    const bool answer_is_lost = choices_.chance(options_.indeterminate_share);
    if (transaction.plan.abort || (answer_is_lost && choices_.chance(0.5))) {
      database_.roll_back(transaction);
      return end(client, step, transaction.plan.abort ? Outcome::Aborted : Outcome::Indeterminate);
    }
    const bool committed = database_.commit(transaction) == RowDatabase::Answer::Done;
    if (answer_is_lost) return end(client, step, Outcome::Indeterminate);
    end(client, step, committed ? Outcome::Committed : Outcome::Aborted);
  }

  void end(Client& client, const Step& step, Outcome outcome) {
    recorder_.record(client.transaction, outcome, step.answer);
    client.next = Client::Next::Begin;
    rest_ = std::max(rest_, step.answer);
    queue_.schedule(step.session, step.answer + pause(client.transaction.plan));
  }

  // So long that, on average, as many transactions are under way as the plan says.
  Time pause(const RowPlan& plan) {
    constexpr double kStep = 2563;  // Of StepQueue, on average.
    const double others = plan.overlap <= 0 ? 0 : static_cast<double>(options_.sessions) / plan.overlap - 1;
    if (others <= 0) return 0;
    const auto mean =
        static_cast<std::uint64_t>(others * kStep * static_cast<double>(plan.requests.size() + 2));
    return static_cast<Time>(choices_.below(2 * mean + 1));
  }

  // Planted transactions, on keys and places that nothing else uses.

  void start(RowTransaction& transaction, std::uint32_t number) {
    const auto first = static_cast<std::uint32_t>(choices_.below(options_.sessions));
    transaction.session = number == 0 ? first : (planted_session_ + number) % options_.sessions;
    planted_session_ = number == 0 ? first : planted_session_;
    transaction.restart({}, rest_ + kUnit * (number + 1), database_.position());
    database_.begin(transaction);
  }

  void see(RowTransaction& transaction, const RowRequest& request, Time at) {
    database_.perform_newest(transaction, request, {rest_ + at * kUnit, rest_ + at * kUnit + 1});
  }

  void close(RowTransaction& transaction, Time at) {
    database_.commit_unchecked(transaction);
    recorder_.record(transaction, Outcome::Committed, rest_ + at * kUnit);
  }

  // Two transactions look at an empty range, and each puts a row into it; or one looks, then reads what the
  // other wrote beside its row.
  void plant() {
    using Kind = RowRequest::Kind;
    const std::uint64_t x = options_.keys, y = options_.keys + 1;
    const RowRequest look{.kind = Kind::Scan,
                          .range = {.low = kFirstPlantedPlace, .high = kFirstPlantedPlace + 5}};
    RowTransaction first, second;
    start(first, 0);
    start(second, 1);
    see(first, look, 3);
    if (options_.plant == "phantom") {
      see(second, {.kind = Kind::Insert, .key = x, .place = kFirstPlantedPlace + 1}, 4);
      see(second, {.kind = Kind::Insert, .key = y, .place = kFirstPlantedPlace + 9}, 5);
      close(second, 6);
      see(first, {.kind = Kind::Read, .key = y}, 7);
    } else {
      see(second, look, 4);
      see(first, {.kind = Kind::Insert, .key = x, .place = kFirstPlantedPlace + 1}, 5);
      see(second, {.kind = Kind::Insert, .key = y, .place = kFirstPlantedPlace + 2}, 6);
      close(second, 7);
    }
    close(first, 8);
    resume(rest_ + 10 * kUnit);
  }

  void resume(Time time) {
    database_.quiesce();
    begin_limit_ = options_.transactions;
    for (std::uint32_t session = 0; session < options_.sessions; ++session) queue_.schedule(session, time);
  }

  void note_facts() {
    recorder_.note("database", "simulated");
    recorder_.note("isolation", options_.level);
    recorder_.note("workload", options_.workload);
    recorder_.note("keys", fmt::format("{} {}", options_.keys, options_.key_distribution));
    recorder_.note("seed", std::to_string(options_.seed));
    if (!options_.plant.empty()) recorder_.note("planted", options_.plant);
    for (const SimulatedBug& bug : options_.bugs)
      recorder_.note(fmt::format("bug {}", info(bug.kind).name),
                     fmt::format("fired {} times", database_.bugs().fired(bug.kind)));
  }

  static constexpr Time kUnit = 1000;
  static constexpr std::int64_t kFirstPlantedPlace = 1'000'010;  // Workloads have a million at most.

  const RowSimulationOptions& options_;
  Workload workload_;
  Random plans_, choices_;
  StepQueue queue_;
  RowRecorder recorder_;
  RowDatabase database_;
  std::vector<Client> clients_;
  std::uint32_t planted_session_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t begin_limit_;  // Until the plant, then until the end.
  Time rest_ = 0;              // When the last answer arrived.
};

}  // namespace
}  // namespace simulated

bool plans_rows(std::string_view workload) {
  const WorkloadInfo* info = find_workload(workload.substr(0, workload.find(':')));
  return info != nullptr && info->plans_rows;
}

std::span<const PlantedRows> all_planted_rows() {
  static constexpr std::array<PlantedRows, 2> table = {{
      {"phantom", "an empty range, then a read of what was written together with a row in that range"},
      {"predicate-write-skew", "two transactions find a range empty, and each inserts a row into it"},
  }};
  return table;
}

History simulate_rows(const RowSimulationOptions& options) {
  simulated::check_options(options);
  return simulated::RowSimulation(options).run();
}

}  // namespace serval
