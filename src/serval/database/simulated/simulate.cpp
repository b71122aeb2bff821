#include "serval/database/simulated/simulate.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/database/simulated/planned_database.h"
#include "serval/database/simulated/recorder.h"
#include "serval/history/history_builder.h"
#include "serval/history/notation.h"
#include "serval/workload/workload.h"

namespace serval {
namespace simulated {
namespace {

using Bug = SimulatedBugKind;
using CommitAnswer = Store::CommitAnswer;

[[noreturn]] void refuse(const std::string& problem, std::string hint = {}) {
  throw InputError({"simulation", 0, 0}, problem, {}, std::move(hint));
}

// Options.

void check_share(double share, std::string_view name) {
  if (!(share >= 0 && share <= 1)) refuse(fmt::format("{} is {}, expected 0 to 1", name, share));
}

void check_row_options(const SimulationOptions& options) {
  if (options.sessions < 2) refuse(fmt::format("{} sessions", options.sessions), "at least two sessions");
  if (options.order != SimulationOptions::Order::Completion)
    refuse("histories with ranges keep the order of completion");
  for (const SimulatedBug& bug : options.bugs)
    if (bug.kind != Bug::LostUpdate && bug.kind != Bug::WriteSkew && bug.kind != Bug::SkippedValidation)
      refuse(fmt::format("the table of rows has no {}", info(bug.kind).name),
             "it has lost-update, write-skew and skipped-validation");
  if (options.plant.empty()) return;
  std::vector<ChoiceInfo> rows;
  for (const PlantedAnomaly& row : all_planted_rows()) rows.push_back({row.name, {}});
  static_cast<void>(parse_choice("anomaly to plant among rows", options.plant, rows));
}

void check_options(const SimulationOptions& options) {
  constexpr std::uint64_t kMostTransactions = 1'000'000'000;  // Ids of a history have 32 bits.
  const bool rows = plans_rows(options.workload);
  const std::uint64_t most_keys = rows ? 10'000'000 : 100'000'000;  // The store keeps an entry for each.
  if (options.sessions == 0 && !rows) refuse("no sessions", "at least one session");
  if (options.keys == 0 || options.keys > most_keys)
    refuse(fmt::format("{} keys", options.keys), fmt::format("1 to {} keys", most_keys));
  if (options.transactions > kMostTransactions)
    refuse(fmt::format("{} transactions", options.transactions),
           fmt::format("at most {} transactions", kMostTransactions));
  check_share(options.abort_share, "the share of aborted transactions");
  check_share(options.indeterminate_share, "the share of indeterminate transactions");
  if (info(options.level).data == (rows ? SimulatedLevelInfo::Data::Keys : SimulatedLevelInfo::Data::Rows))
    refuse(fmt::format("{} has no level {}", options.workload, info(options.level).name));
  if (rows) return check_row_options(options);
  if (options.certificate > SimulationOptions::Certificate::Timestamps)
    refuse("version orders and version sets are for workloads with ranges");
}

// For a workload of registers; empty if nothing is to be planted.
History parse_plant(const SimulationOptions& options, const WorkloadInfo& workload) {
  if (options.plant.empty() || workload.plans_rows) return History{};
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

// Simulated clients follow their plan, regardless of the responses.
Workload planned_workload(const SimulationOptions& options) {
  Workload workload =
      make_workload(options.workload, make_key_choice(options.key_distribution, options.keys));
  if (workload.info->form == WorkloadInfo::Form::Plans || workload.info->plans_rows) return workload;
  std::vector<std::string_view> names;
  for (const WorkloadInfo& info : all_workloads())
    if (info.form == WorkloadInfo::Form::Plans) names.push_back(info.name);
  refuse(
      fmt::format("{} cannot be generated: {}", workload.info->name,
                  workload.info->needs_ranges ? "it asks for ranges" : "its requests depend on answers"),
      fmt::format("serval gen runs {}; serval run simulated: runs every workload", fmt::join(names, ", ")));
}

Value initial_value(const WorkloadInfo& workload) {
  return workload.data == WorkloadInfo::Data::Registers && !workload.plans_rows ? Value::integer(0)
                                                                                : Value::nil();
}

std::unique_ptr<PlannedDatabase> make_database(const SimulationOptions& options, const WorkloadInfo& workload,
                                               std::uint64_t seed, ValuePool& values) {
  const Store::Options store{.level = options.level,
                             .bugs = options.bugs,
                             .seed = seed,
                             .sessions = options.sessions,
                             .initial = initial_value(workload),
                             .has_ranges = workload.plans_rows,
                             .checks_written_reads = workload.plans_rows};
  if (!workload.plans_rows) return std::make_unique<KeyDatabase>(store, values);
  const bool full = options.certificate == SimulationOptions::Certificate::Full;
  return std::make_unique<RowDatabase>(
      store, full ? RowDatabase::Examined::Kept : RowDatabase::Examined::Dropped, values);
}

// The virtual clock: which session takes its next step, and when. A step is called, takes effect and is
// answered, in this order, at random distances. The queue returns steps in the order of their effects.

struct Step {
  Time effect = 0;
  std::uint32_t session = 0;
  Time call = 0;
  Time answer = 0;  // call < effect < answer.
  friend auto operator<=>(const Step&, const Step&) = default;
};

class StepQueue {
 public:
  explicit StepQueue(std::uint64_t seed) : random_(seed) {}

  bool empty() const noexcept { return heap_.empty(); }
  // The next step of the session, shortly after `time`.
  void schedule(std::uint32_t session, Time time) {
    const std::uint64_t draw = random_.next();
    const Time call = time + 1 + static_cast<Time>(draw % 1024);
    const Time effect = call + 1 + static_cast<Time>(draw / 1024 % 2048);
    const Time answer = effect + 1 + static_cast<Time>(draw / 1024 / 2048 % 2048);
    heap_.push_back({effect, session, call, answer});
    std::ranges::push_heap(heap_, std::greater<>{});
  }
  Step take() {
    std::ranges::pop_heap(heap_, std::greater<>{});
    const Step step = heap_.back();
    heap_.pop_back();
    return step;
  }

 private:
  Random random_;
  std::vector<Step> heap_;
};

// The scheduler.

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options)
      : Simulation(options, planned_workload(options), Random(options.seed)) {}

  History run() && {
    schedule_all(0);
    run_until_quiescent();
    if (!options_.plant.empty()) {
      if (has_rows_)
        plant_rows();
      else
        plant_notation();
      database_->quiesce();
      begin_limit_ = options_.transactions;
      schedule_all(rest_ + (has_rows_ ? 10 : 11) * kUnit);
      run_until_quiescent();
    }
    note_facts();
    return std::move(recorder_).finish();
  }

 private:
  Simulation(const SimulationOptions& options, Workload workload, Random seeds)
      : options_(options),
        workload_(std::move(workload)),
        has_rows_(workload_.info->plans_rows),
        notation_(parse_plant(options, *workload_.info)),
        plans_(seeds.next()),
        choices_(seeds.next()),
        queue_(seeds.next()),
        recorder_(options, initial_value(*workload_.info)),
        database_(make_database(options, *workload_.info, seeds.next(), recorder_.values())),
        transactions_(options.sessions),
        begin_limit_(options.plant.empty() ? options.transactions
                                           : choices_.below(options.transactions + 1)) {
    for (std::uint32_t session = 0; session < options.sessions; ++session)
      transactions_[session].session = session;
  }

  void schedule_all(Time time) {
    const std::uint32_t asked = workload_.generator->concurrent();
    const std::uint32_t active = asked == 0 ? options_.sessions : std::min(asked, options_.sessions);
    waiting_.clear();
    for (std::uint32_t session = 0; session < active; ++session) queue_.schedule(session, time);
    for (std::uint32_t session = active; session < options_.sessions; ++session) waiting_.push_back(session);
  }

  // Whose turn it is after a transaction of this session.
  std::uint32_t successor(std::uint32_t session) {
    if (!waiting_.empty()) std::swap(session, waiting_[choices_.below(waiting_.size())]);
    return session;
  }

  void run_until_quiescent() {
    while (!queue_.empty()) {
      if (options_.budget != nullptr) options_.budget->poll("simulate");
      const Step step = queue_.take();
      PlannedTransaction& transaction = transactions_[step.session];
      if (!database_->is_open(transaction))
        begin(transaction, step);
      else if (transaction.next_step < transaction.step_count())
        operate(transaction, step);
      else
        commit(transaction, step);
    }
  }

  void continue_after(const Step& step) { queue_.schedule(step.session, step.answer); }

  // Sessions without another transaction to begin stop here, so an empty queue means a database at rest.
  void begin(PlannedTransaction& transaction, const Step& step) {
    if (begun_ >= begin_limit_) return;
    ++begun_;
    draw_plan(transaction);
    transaction.plan.abort = choices_.chance(options_.abort_share);
    transaction.restart(step.call);
    database_->begin(transaction);
    continue_after(step);
  }

  void draw_plan(PlannedTransaction& transaction) {
    if (has_rows_)
      transaction.row_plan = workload_.generator->next_rows(plans_, transaction.session);
    else
      transaction.plan = workload_.generator->next(plans_, transaction.session);
    const bool only_reads = transaction.plan.only_reads() && transaction.row_plan.only_reads();
    transaction.intent = only_reads ? Transaction::Intent::OnlyReads : Transaction::Intent::Update;
  }

  void operate(PlannedTransaction& transaction, const Step& step) {
    if (database_->perform(transaction, {step.call, step.answer}) == PlannedDatabase::Answer::Conflict) {
      database_->roll_back(transaction);
      return end(transaction, step, Outcome::Aborted);
    }
    continue_after(step);
  }

  // A commit is lost on its way to the database, or its response on the way back. With rows, random
  // numbers are drawn in another order than without; neither order may change, so that a seed keeps
  // giving the same history.
  void commit(PlannedTransaction& transaction, const Step& step) {
    const double share = options_.indeterminate_share;
    const bool lost = has_rows_ && choices_.chance(share);
    if (transaction.plan.abort) {
      database_->roll_back(transaction);
      return end(transaction, step, Outcome::Aborted);
    }
    const bool lost_there =
        has_rows_ ? lost && choices_.chance(0.5) : transaction.installed == 0 && choices_.chance(share / 2);
    if (lost_there) {
      database_->roll_back(transaction);
      return end(transaction, step, Outcome::Indeterminate);
    }
    const CommitAnswer answer = database_->commit(transaction);
    if (answer == CommitAnswer::HalfWay) return continue_after(step);
    const bool lost_back = has_rows_ ? lost : choices_.chance(share / 2);
    const Outcome outcome = answer == CommitAnswer::Committed ? Outcome::Committed : Outcome::Aborted;
    end(transaction, step, lost_back ? Outcome::Indeterminate : outcome);
  }

  void end(PlannedTransaction& transaction, const Step& step, Outcome outcome) {
    recorder_.record(transaction, outcome, step.answer);
    rest_ = std::max(rest_, step.answer);
    queue_.schedule(successor(step.session), step.answer + pause_after(transaction.row_plan));
  }

  // Long enough that, on average, as many transactions run concurrently as the plan says.
  Time pause_after(const RowPlan& plan) {
    constexpr double kStep = 2563;  // Average duration of a step in StepQueue.
    const double others = plan.overlap <= 0 ? 0 : static_cast<double>(options_.sessions) / plan.overlap - 1;
    if (others <= 0) return 0;
    const auto mean =
        static_cast<std::uint64_t>(others * kStep * static_cast<double>(plan.requests.size() + 2));
    return static_cast<Time>(choices_.below(2 * mean + 1));
  }

  // Planted anomalies, on keys and places that nothing else uses.

  // The transactions of the notation, with their keys, values, sessions and times translated. Times of single
  // operations are not known, only those of the transactions.
  void plant_notation() {
    const std::int64_t first_value = database_->fresh_number();
    const auto first_session = static_cast<std::uint32_t>(choices_.below(options_.sessions));
    const Time rest = rest_ + kUnit;
    for (std::size_t i = 0; i < notation_.operation_count(); ++i) database_->fresh_number();
    std::vector<TransactionId> by_end;
    for (const TransactionId t : notation_.transactions()) by_end.push_back(t);
    std::ranges::stable_sort(by_end, {}, [&](TransactionId t) { return notation_.interval(t).end; });
    for (const TransactionId t : by_end) {
      const Interval steps = notation_.interval(t);
      const Interval time{rest + steps.begin * kUnit, rest + steps.end * kUnit};
      PlannedTransaction planted;
      planted.session = (first_session + notation_.session(t).index) % options_.sessions;
      planted.begin = time.begin;
      for (const OperationId op : notation_.operations(t)) {
        const std::int64_t value = notation_.value(op).as_integer();
        planted.operations.push_back({notation_.kind(op), options_.keys + notation_.key(op).index,
                                      Value::integer(value == 0 ? 0 : first_value + value - 1), Value::nil(),
                                      time});
      }
      recorder_.record(planted, notation_.outcome(t), time.end);
    }
  }

  // A view without a snapshot: every step sees the newest commit.
  void begin_planted(PlannedTransaction& transaction, std::uint32_t session, Time at) {
    transaction.session = session % options_.sessions;
    transaction.restart(rest_ + at * kUnit);
    transaction.view.emplace();
    database_->begin(transaction);
  }

  void perform_planted(PlannedTransaction& transaction, const RowRequest& request, Time at) {
    transaction.row_plan.requests.push_back(request);
    database_->perform(transaction, {rest_ + at * kUnit, rest_ + at * kUnit + 1});
  }

  void commit_planted(PlannedTransaction& transaction, Time at) {
    database_->complete(transaction);
    recorder_.record(transaction, Outcome::Committed, rest_ + at * kUnit);
  }

  // Two transactions examine an empty range, and each inserts a row into it; or one examines it, then reads
  // what the other wrote together with its row.
  void plant_rows() {
    using Kind = RowRequest::Kind;
    constexpr std::int64_t kPlace = 1'000'010;  // Workloads have a million places at most.
    const std::uint64_t x = options_.keys, y = options_.keys + 1;
    const RowRequest scan{.kind = Kind::Scan, .range = {.low = kPlace, .high = kPlace + 5}};
    const auto insert = [](std::uint64_t key, std::int64_t place) {
      return RowRequest{.kind = Kind::Insert, .key = key, .place = place};
    };
    PlannedTransaction first, second;
    const auto session = static_cast<std::uint32_t>(choices_.below(options_.sessions));
    choices_.next();  // Unused, but keeps the history of a seed the same.
    begin_planted(first, session, 1);
    begin_planted(second, session + 1, 2);
    perform_planted(first, scan, 3);
    if (options_.plant == "phantom") {
      perform_planted(second, insert(x, kPlace + 1), 4);
      perform_planted(second, insert(y, kPlace + 9), 5);
      commit_planted(second, 6);
      perform_planted(first, {.kind = Kind::Read, .key = y}, 7);
    } else {
      perform_planted(second, scan, 4);
      perform_planted(first, insert(x, kPlace + 1), 5);
      perform_planted(second, insert(y, kPlace + 2), 6);
      commit_planted(second, 7);
    }
    commit_planted(first, 8);
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
                     fmt::format("fired {} times", database_->bugs().fired(bug.kind)));
  }

  static constexpr Time kUnit = 1000;

  const SimulationOptions& options_;
  Workload workload_;
  bool has_rows_;
  History notation_;
  Random plans_, choices_;
  StepQueue queue_;
  Recorder recorder_;
  std::unique_ptr<PlannedDatabase> database_;
  std::vector<PlannedTransaction> transactions_;  // By session.
  std::vector<std::uint32_t> waiting_;            // Sessions, if not all may run at a time.
  std::uint64_t begun_ = 0;
  std::uint64_t begin_limit_;  // First up to the planted anomaly, then up to the end.
  Time rest_ = 0;              // When the last answer arrived.
};

// The same history with its transactions in another order, which keeps the order of each session.

// Integers and nil are the same in every pool; lists must be interned again.
Value move_to(ValuePool& pool, const History& history, Value value) {
  return value.is_list() ? pool.list(history.values().elements(value)) : value;
}

void copy_transaction(const History& history, TransactionId t, HistoryBuilder& builder) {
  const TransactionId copy = builder.begin_transaction(history.session(t), history.label(t));
  for (const OperationId op : history.operations(t)) {
    Operation operation = history.operation(op);
    operation.key = builder.key(history.key_value(operation.key));
    operation.value = move_to(builder.values(), history, operation.value);
    builder.add(copy, operation);
  }
  builder.set_outcome(copy, history.outcome(t));
  builder.set_interval(copy, history.interval(t));
  if (const TransactionHints* hints = history.hints(t)) builder.set_hints(copy, *hints);
}

History in_order(const History& history, const std::vector<TransactionId>& order) {
  HistoryBuilder builder;
  builder.set_initial_value(history.initial_value());
  for (const auto& [name, fact] : history.facts()) builder.set_fact(name, fact);
  for (const SessionId s : history.sessions()) builder.session(history.session_label(s));
  for (const TransactionId t : order) copy_transaction(history, t, builder);
  return std::move(builder).freeze();
}

// Session by session instead of in the order of completion.
History group_by_session(const History& history) {
  std::vector<TransactionId> order;
  order.reserve(history.transaction_count());
  for (const SessionId s : history.sessions())
    for (const TransactionId t : history.session_transactions(s)) order.push_back(t);
  return in_order(history, order);
}

// Any order that the sessions allow, all equally likely. Repeatedly takes the next transaction of a session,
// which is drawn in proportion to the number of transactions it has left: a shuffled list, with each session
// once per transaction, determines whose turn it is.
History shuffle(const History& history, Random& random) {
  std::vector<SessionId> turns;
  turns.reserve(history.transaction_count());
  for (const TransactionId t : history.transactions()) turns.push_back(history.session(t));
  for (std::size_t i = turns.size(); i > 1; --i) std::swap(turns[i - 1], turns[random.below(i)]);
  std::vector<std::size_t> next(history.session_count(), 0);
  std::vector<TransactionId> order;
  order.reserve(turns.size());
  for (const SessionId s : turns) order.push_back(history.session_transactions(s)[next[s.index]++]);
  return in_order(history, order);
}

}  // namespace
}  // namespace simulated

bool plans_rows(std::string_view workload) {
  const WorkloadInfo* info = find_workload(workload.substr(0, workload.find(':')));
  return info != nullptr && info->plans_rows;
}

History simulate(const SimulationOptions& options) {
  simulated::check_options(options);
  History history = simulated::Simulation(options).run();
  if (options.order == SimulationOptions::Order::Completion) return history;
  if (options.order == SimulationOptions::Order::Session) return simulated::group_by_session(history);
  constexpr std::uint64_t kOther = 0x5EED;  // The run and the order in the file use different seeds.
  Random random(options.seed ^ kOther);
  return simulated::shuffle(history, random);
}

}  // namespace serval
