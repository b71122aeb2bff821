#include "sweep.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "interruption.h"
#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"

namespace serval::cli {
namespace {

// What a history is made of. A sweep changes one member.
struct Setting {
  std::uint64_t transactions, keys, operations, concurrent;
  std::uint32_t sessions;
  std::string distribution;
};

struct Point {
  std::string value;
  Setting setting;
};

enum class Family : std::uint8_t { Mini, General, Lightweight };

struct Sweep {
  std::string_view parameter;
  std::vector<Family> families;
  std::vector<Point> (*points)(const SweepOptions& options, const Setting& base);
};

// One point for each value; `set` puts it into a copy of the base.
template <class Set>
std::vector<Point> points_of(const std::vector<std::uint64_t>& values, const Setting& base, const Set& set) {
  std::vector<Point> points;
  for (const std::uint64_t value : values) {
    points.push_back({{}, base});
    points.back().value = std::to_string(set(points.back().setting, value));
  }
  return points;
}

std::vector<Point> distributions(const SweepOptions&, const Setting& base) {
  std::vector<Point> points;
  for (const char* name : {"uniform", "zipf", "hotspot", "exponential"}) {
    points.push_back({name, base});
    points.back().setting.distribution = name;
  }
  return points;
}
std::vector<Point> keys(const SweepOptions& options, const Setting& base) {
  return points_of(options.swept_keys, base, [](Setting& s, std::uint64_t value) { return s.keys = value; });
}
std::vector<Point> operations(const SweepOptions& options, const Setting& base) {
  return points_of(options.swept_operations, base,
                   [](Setting& s, std::uint64_t value) { return s.operations = value; });
}
std::vector<Point> sessions(const SweepOptions& options, const Setting& base) {
  return points_of(options.swept_sessions, base, [](Setting& s, std::uint64_t value) {
    return s.sessions = static_cast<std::uint32_t>(value);
  });
}
std::vector<Point> transactions(const SweepOptions& options, const Setting& base) {
  return points_of(options.swept_transactions, base, [](Setting& s, std::uint64_t tenths) {
    return s.transactions = std::max<std::uint64_t>(s.transactions * tenths / 10, 1);
  });
}
std::vector<Point> concurrent(const SweepOptions& options, const Setting& base) {
  return points_of(options.swept_concurrent, base, [](Setting& s, std::uint64_t tenths) {
    return s.concurrent = std::max<std::uint64_t>(s.sessions * tenths / 10, 1);
  });
}

const std::array<Sweep, 6>& all_sweeps() {
  using enum Family;
  static const std::array<Sweep, 6> sweeps = {{{"distribution", {Mini, General}, distributions},
                                               {"keys", {Mini, General}, keys},
                                               {"operations", {General}, operations},
                                               {"sessions", {Mini, General}, sessions},
                                               {"txns", {Mini, General}, transactions},
                                               {"concurrent", {Lightweight}, concurrent}}};
  return sweeps;
}

std::string workload_of(Family family, const Setting& setting) {
  switch (family) {
    case Family::Mini:
      return "mini";
    case Family::General:
      return fmt::format("general:operations={}", setting.operations);
    case Family::Lightweight:
      break;
  }
  return fmt::format("lightweight:concurrent={}", setting.concurrent);
}
std::string_view name_of(Family family) {
  static constexpr std::array<std::string_view, 3> kNames{"mini", "general", "lightweight"};
  return kNames[static_cast<std::size_t>(family)];
}

// The levels of MTC-SER and MTC-SI, and of its algorithm for lightweight transactions.
std::vector<Level> levels_of(Family family) {
  if (family == Family::Lightweight) return {Level::Linearizable};
  return {Level::StrongSessionSerializable, Level::StrongSessionSnapshotIsolation};
}
SimulatedLevel simulated(Level level) {
  if (level == Level::Linearizable) return SimulatedLevel::StrictSerializable;
  return parse_simulated_level(serval::name_of(level));
}

History simulate_setting(const Setting& setting, Family family, Level level, std::uint64_t seed) {
  Budget budget = interruptible();
  SimulationOptions simulation;
  simulation.workload = workload_of(family, setting);
  simulation.sessions = setting.sessions;
  simulation.transactions = setting.transactions;
  simulation.keys = setting.keys;
  simulation.key_distribution = setting.distribution;
  simulation.level = simulated(level);
  simulation.seed = seed;
  simulation.abort_share = 0;
  simulation.budget = &budget;
  // Where the level does not need them, times and the order of completion would reveal a serial order.
  if (!uses_real_time(level)) {
    simulation.times = SimulationOptions::Times::None;
    simulation.order = SimulationOptions::Order::Session;
  }
  return simulate(simulation);
}

double seconds_since(Budget::Clock::time_point start) {
  return std::chrono::duration<double>(Budget::Clock::now() - start).count();
}

std::string_view verdict_word(const Verdict& verdict) {
  if (holds(verdict)) return "valid";
  return violated(verdict) ? "violation" : "unknown";
}

SweepCell measure_setting(const Setting& setting, Family family, Level level, const SweepOptions& options) {
  SweepCell cell{.workload = name_of(family), .level = level};
  const auto start = Budget::Clock::now();
  const History history = simulate_setting(setting, family, level, options.seed);
  cell.generation_seconds = seconds_since(start);
  cell.transactions = history.transaction_count();
  cell.operations = history.operation_count();
  cell.committed =
      static_cast<std::uint64_t>(std::ranges::count(history.outcome_column(), Outcome::Committed));
  const auto check_start = Budget::Clock::now();
  Budget budget = interruptible().within(check_start + options.timeout);
  const CheckResult result = check(history, level, {.budget = &budget});
  cell.seconds = seconds_since(check_start);
  cell.verdict = verdict_word(result.verdict);
  cell.engine = result.engine;
  return cell;
}

}  // namespace

SweepOptions short_sweep() {
  SweepOptions options;
  options.transactions = 10'000;
  options.swept_keys = {100, 1000, 10'000};
  options.swept_operations = {4, 8, 16};
  options.swept_sessions = {5, 20, 50};
  options.swept_transactions = {1, 5, 10};
  options.swept_concurrent = {1, 5, 10};
  options.parameters = swept_parameters();
  return options;
}

SweepOptions full_sweep() {
  SweepOptions options = short_sweep();
  options.transactions = 100'000;
  options.swept_keys = {100, 200, 500, 1000, 2000, 5000, 10'000, 100'000};
  options.swept_operations = {2, 4, 8, 12, 16, 20, 30, 40};
  options.swept_sessions = {5, 10, 20, 40, 60, 80, 100};
  options.swept_transactions = {1, 2, 4, 6, 8, 10};
  options.swept_concurrent = {1, 2, 4, 6, 8, 10};
  return options;
}

std::vector<std::string_view> swept_parameters() {
  std::vector<std::string_view> names;
  for (const Sweep& sweep : all_sweeps()) names.push_back(sweep.parameter);
  return names;
}

SweepReport run_sweep(const SweepOptions& options, const std::function<void(const SweepCell&)>& done) {
  SweepReport report{options, {}};
  const Setting base{.transactions = options.transactions,
                     .keys = options.keys,
                     .operations = options.operations,
                     .concurrent = options.sessions,
                     .sessions = options.sessions,
                     .distribution = "uniform"};
  for (const Sweep& sweep : all_sweeps()) {
    if (std::ranges::find(options.parameters, sweep.parameter) == options.parameters.end()) continue;
    for (const Point& point : sweep.points(options, base))
      for (const Family family : sweep.families)
        for (const Level level : levels_of(family)) {
          SweepCell cell = measure_setting(point.setting, family, level, options);
          cell.parameter = sweep.parameter;
          cell.value = point.value;
          report.cells.push_back(std::move(cell));
          done(report.cells.back());
        }
  }
  return report;
}

}  // namespace serval::cli
