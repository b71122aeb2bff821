#include "king_cobra.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "interruption.h"
#include "serval/base/random.h"
#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"
#include "serval/history/history_builder.h"

namespace serval::cli {
namespace {

constexpr double kMostVersions = 0.9;  // The share of versions given in Fig. 13.

// Fig. 13 has no numbers at its bars. These are the seconds that the text states, all of them for
// serializable.
struct MixedWorkload {
  std::string_view name;
  double reads, writes;
  std::string_view paper_none, paper_versions;
};
constexpr std::array<MixedWorkload, 3> kWorkloads{{
    {"RMW", 0.25, 0.25, "", ""},
    {"read/write", 0.5, 0.5, "> 300", "< 15"},
    {"heavy write", 0.1, 0.8, "> 300", "< 34"},
}};

std::string_view paper_of(const MixedWorkload& workload, SessionOrder order, double versions) {
  if (order == SessionOrder::Kept) return {};
  return versions > 0 ? workload.paper_versions : workload.paper_none;
}

std::uint64_t committed_in(const History& history) {
  std::uint64_t count = 0;
  for (const TransactionId t : history.transactions())
    if (history.outcome(t) == Outcome::Committed) ++count;
  return count;
}

// With enough transactions that the requested number commits.
History simulate_workload(const MixedWorkload& workload, const KingCobraOptions& options) {
  SimulationOptions simulation;
  simulation.workload = fmt::format("operation-mix:operations={},reads={},writes={}", options.operations,
                                    workload.reads, workload.writes);
  simulation.sessions = options.sessions;
  simulation.keys = options.keys;
  simulation.seed = options.seed;
  simulation.abort_share = 0;
  simulation.times = SimulationOptions::Times::None;
  simulation.certificate = SimulationOptions::Certificate::Timestamps;
  // Session by session; any other order would reveal the order of commits.
  simulation.order = SimulationOptions::Order::Session;
  simulation.transactions = options.transactions;
  while (true) {
    Budget budget = interruptible();
    simulation.budget = &budget;
    History history = simulate(simulation);
    const std::uint64_t committed = committed_in(history);
    if (committed >= options.transactions) return history;
    simulation.transactions += (options.transactions - committed) * 5 / 4 + 1;
  }
}

// The positions of the last writes of committed transactions in the version order of their keys, from 1.
std::map<OperationId, std::int64_t> version_order(const History& history) {
  std::vector<std::tuple<KeyId, std::int64_t, OperationId>> writes;
  for (const TransactionId t : history.transactions()) {
    if (history.outcome(t) != Outcome::Committed) continue;
    for (const OperationId op : history.operations(t))
      if (history.kind(op) == OperationKind::Write)
        writes.emplace_back(history.key(op), history.hints(t)->commit_timestamp.value(), op);
  }
  std::ranges::sort(writes);
  std::map<OperationId, std::int64_t> places;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    place = i > 0 && std::get<0>(writes[i - 1]) == std::get<0>(writes[i]) ? place + 1 : 1;
    places.emplace(std::get<2>(writes[i]), place);
  }
  return places;
}

// The committed transactions with this share of the versions, and no other information about their order.
History with_versions(const History& history, const std::map<OperationId, std::int64_t>& order, double share,
                      std::uint64_t seed) {
  Random random(seed);
  HistoryBuilder builder;
  builder.set_initial_value(history.initial_value());
  for (const SessionId s : history.sessions()) builder.session(history.session_label(s));
  for (const TransactionId t : history.transactions()) {
    if (history.outcome(t) != Outcome::Committed) continue;
    const auto label = static_cast<std::int64_t>(builder.transaction_count());
    const TransactionId copy = builder.begin_transaction(history.session(t), Value::integer(label));
    for (const OperationId op : history.operations(t)) {
      Operation operation = history.operation(op);
      operation.key = builder.key(history.key_value(operation.key));
      if (operation.kind == OperationKind::Write && random.chance(share)) operation.version = order.at(op);
      builder.add(copy, operation);
    }
  }
  return std::move(builder).freeze();
}

std::string_view word_of(const Verdict& verdict) {
  if (holds(verdict)) return "valid";
  return violated(verdict) ? "violation" : "unknown";
}

KingCobraCell measure(const History& history, const MixedWorkload& workload, SessionOrder order, double share,
                      std::chrono::nanoseconds timeout) {
  const Level level = order == SessionOrder::Kept ? Level::StrongSessionSerializable : Level::Serializable;
  const auto start = Budget::Clock::now();
  const std::clock_t processor_start = std::clock();
  Budget budget = interruptible().within(start + timeout);
  CheckOptions options{.budget = &budget};
  if (share > 0) options.hints.assumptions = {OrderBasis::Versions};
  KingCobraCell cell{workload.name, order, share};
  const CheckResult result = check(history, level, options);
  cell.seconds = std::chrono::duration<double>(Budget::Clock::now() - start).count();
  cell.processor_seconds = static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
  cell.verdict = word_of(result.verdict);
  cell.engine = result.engine;
  return cell;
}

}  // namespace

KingCobraReport run_king_cobra(const KingCobraOptions& options,
                               const std::function<void(const KingCobraCell&)>& done) {
  KingCobraReport report{options, {}, {}};
  for (const MixedWorkload& workload : kWorkloads) {
    const History simulated = simulate_workload(workload, options);
    const auto order = version_order(simulated);
    const auto run = [&](SessionOrder sessions, double share) {
      const History history = with_versions(simulated, order, share, options.seed);
      KingCobraCell cell = measure(history, workload, sessions, share, options.timeout);
      return cell;
    };
    for (const SessionOrder sessions : {SessionOrder::Ignored, SessionOrder::Kept})
      for (const double share : {0.0, kMostVersions}) {
        report.ablation.push_back(run(sessions, share));
        report.ablation.back().paper = paper_of(workload, sessions, share);
        done(report.ablation.back());
      }
    for (int tenths = 0; tenths <= 10; ++tenths) {
      report.partial.push_back(run(SessionOrder::Ignored, tenths / 10.0));
      done(report.partial.back());
    }
  }
  return report;
}

}  // namespace serval::cli
