#include "serval/database/probe/probe.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace serval {
namespace {

using Clock = std::chrono::steady_clock;

// A client with its own thread, so that a schedule can continue while one of its steps waits for a lock.
//
//   SteppedClient client(database.connect(0));
//   client.order(0, {.what = ProbeStep::What::Begin});
//   if (!client.wait_until_idle(deadline)) ...                // It waits; later orders are queued.
class SteppedClient {
 public:
  using Deadline = Clock::time_point;

  explicit SteppedClient(std::unique_ptr<Client> client)
      : client_(std::move(client)), thread_([this] { work(); }) {}
  // Waits for the current step and drops queued ones.
  ~SteppedClient() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      orders_.clear();
    }
    changed_.notify_all();
    thread_.join();
  }
  SteppedClient(const SteppedClient&) = delete;
  SteppedClient& operator=(const SteppedClient&) = delete;

  void order(std::size_t number, const ProbeStep& step) {
    {
      const std::lock_guard lock(mutex_);
      orders_.push_back({number, step});
    }
    changed_.notify_all();
  }

  bool wait_until_idle(Deadline deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline, [&] { return orders_.empty() && !busy_; });
  }

  // The following require that it is idle.
  struct Heard {
    std::size_t step;
    Answer answer;
  };
  const std::vector<Heard>& heard() const { return heard_; }
  bool has_committed() const { return committed_; }
  bool has_ended() const { return committed_ || ended_ || failure_.has_value(); }
  // The transaction failed; later steps were skipped.
  struct Failure {
    FailureCause cause;
    std::string message;
  };
  const std::optional<Failure>& failure() const { return failure_; }
  bool lacks_ranges() const { return lacks_ranges_; }
  // Rethrows any exception except TransactionFailure.
  void rethrow_what_went_wrong() const {
    if (wrong_) std::rethrow_exception(wrong_);
  }

 private:
  struct Order {
    std::size_t number;
    ProbeStep step;
  };

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return closing_ || !orders_.empty(); });
      if (orders_.empty()) break;
      const Order order = std::move(orders_.front());
      orders_.pop_front();
      busy_ = true;
      lock.unlock();
      act(order);
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
    lock.unlock();
    if (!is_over()) abandon();
    client_.reset();
  }

  void abandon() noexcept {
    try {
      client_->roll_back();
    } catch (const std::exception&) {  // The connection is closed next, which rolls back as well.
    }
  }

  void act(const Order& order) {
    if (is_over()) return;
    try {
      switch (order.step.what) {
        case ProbeStep::What::Begin:
          client_->begin();
          break;
        case ProbeStep::What::Perform:
          heard_.push_back({order.number, client_->perform(order.step.request)});
          break;
        case ProbeStep::What::Commit:
          committed_ = client_->commit() == Outcome::Committed;
          ended_ = true;
          break;
        case ProbeStep::What::RollBack:
          client_->roll_back();
          ended_ = true;
          break;
      }
    } catch (const TransactionFailure& failure) {
      failure_ = {failure.cause(), failure.what()};
    } catch (const DatabaseError&) {
      if (order.step.what == ProbeStep::What::Perform && is_range(order.step.request.kind)) {
        lacks_ranges_ = true;
        abandon();
      } else {
        wrong_ = std::current_exception();
      }
    } catch (...) {
      wrong_ = std::current_exception();
    }
  }

  bool is_over() const { return has_ended() || lacks_ranges_ || wrong_; }

  std::unique_ptr<Client> client_;
  std::vector<Heard> heard_;
  bool committed_ = false, ended_ = false, lacks_ranges_ = false;
  std::optional<Failure> failure_;
  std::exception_ptr wrong_;

  std::mutex mutex_;  // Guards everything below, and hands over what is above.
  std::condition_variable changed_;
  std::deque<Order> orders_;
  bool busy_ = false, closing_ = false;
  std::thread thread_;  // Last, because it uses the others.
};

// Runs one schedule.
class Player {
 public:
  Player(Database& database, std::vector<ProbeStep> steps, const ProbeOptions& options)
      : options_(options), steps_(std::move(steps)) {
    std::size_t count = 0;
    for (const ProbeStep& step : steps_) count = std::max(count, step.client + 1);
    for (std::size_t i = 0; i < count; ++i)
      clients_.push_back(std::make_unique<SteppedClient>(database.connect(static_cast<std::uint32_t>(i))));
    waiting_.resize(count);
    waits_since_.resize(count);
  }

  void play() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const ProbeStep& step = steps_[i];
      if (step.what != ProbeStep::What::Begin && step.what != ProbeStep::What::Perform) note_long_waits();
      clients_[step.client]->order(i, step);
      if (waiting_[step.client]) continue;
      waits_since_[step.client] = i;
      wait_for(step.client);
      if (!waiting_[step.client] && clients_[step.client]->has_ended()) wake_others();
    }
    const Clock::time_point deadline = Clock::now() + options_.give_up;
    for (const auto& client : clients_) has_finished_ &= client->wait_until_idle(deadline);
  }

  bool has_finished() const { return has_finished_; }
  bool has_waited() const { return has_waited_; }
  std::optional<std::size_t> waited_at() const { return waited_at_; }

  // Only when it has finished, as all that follows.
  bool lacks_ranges() const {
    return std::ranges::any_of(clients_, [](const auto& client) { return client->lacks_ranges(); });
  }

  void refuse_what_went_wrong() const {
    for (const auto& client : clients_) {
      client->rethrow_what_went_wrong();
      const auto& failure = client->failure();
      if (failure &&
          (failure->cause == FailureCause::ConnectionLost || failure->cause == FailureCause::Unavailable))
        throw DatabaseError(fmt::format("the database is gone: {}", failure->message));
    }
  }

  std::optional<FailureCause> refused() const {
    for (const auto& client : clients_)
      if (client->failure()) return client->failure()->cause;
    return std::nullopt;
  }

  ProbePlay result() const {
    ProbePlay out{.steps = steps_, .answers = {}, .committed = {}, .finally = {}};
    out.answers.resize(steps_.size());
    for (const auto& client : clients_) {
      out.committed.push_back(client->has_committed());
      for (const SteppedClient::Heard& heard : client->heard()) out.answers[heard.step] = heard.answer;
    }
    return out;
  }

 private:
  void wait_for(std::size_t client) {
    waiting_[client] = !clients_[client]->wait_until_idle(Clock::now() + options_.patience);
    has_waited_ |= waiting_[client];
  }

  // A transaction is about to end. Who still waits is not merely slow.
  void note_long_waits() {
    for (std::size_t client = 0; client < clients_.size(); ++client)
      if (waiting_[client] && !clients_[client]->wait_until_idle(Clock::now()))
        waited_at_ = std::min(waited_at_.value_or(steps_.size()), waits_since_[client]);
  }

  // The end of a transaction releases its locks and wakes the clients that waited for them.
  void wake_others() {
    for (std::size_t client = 0; client < clients_.size(); ++client)
      if (waiting_[client]) wait_for(client);
  }

  const ProbeOptions& options_;
  std::vector<ProbeStep> steps_;
  std::vector<std::unique_ptr<SteppedClient>> clients_;
  std::vector<bool> waiting_;
  std::vector<std::size_t> waits_since_;  // By client: its last step that was not queued.
  std::optional<std::size_t> waited_at_;
  bool has_waited_ = false, has_finished_ = true;
};

std::vector<Answer::Row> read_finally(Database& database) {
  std::vector<Answer::Row> rows;
  const std::unique_ptr<Client> client = database.connect(0);
  try {
    client->begin();
    for (const std::uint64_t key : {kProbeX, kProbeY})
      for (const Answer::Row& row : client->perform({.kind = Request::Kind::Read, .key = key}).rows)
        rows.push_back(row);
    client->commit();
  } catch (const TransactionFailure& failure) {
    throw DatabaseError(fmt::format("a transaction failed although it ran alone: {}", failure.what()));
  }
  return rows;
}

ProbeCell probe_schedule(Database& database, const ProbeAnomaly& anomaly, const std::vector<ProbeStep>& steps,
                         const ProbeOptions& options) {
  database.create(probe_schema(anomaly.needs_ranges() ? ProbeRows::WithValues : ProbeRows::Plain));
  ProbeCell cell;
  ProbePlay play;
  {
    Player player(database, steps, options);
    player.play();
    cell.waited = player.has_waited();
    cell.waited_at = player.waited_at();
    cell.result = ProbeCell::Result::Blocked;
    if (!player.has_finished()) return cell;
    player.refuse_what_went_wrong();
    if (player.lacks_ranges()) return {};
    cell.refused = player.refused();
    play = player.result();
  }
  play.finally = read_finally(database);
  cell.finally_current = finally_shows_commits(play);
  cell.result = anomaly.happened(play) ? ProbeCell::Result::Happens : ProbeCell::Result::Prevented;
  return cell;
}

void drop_if_possible(Database& database) {
  try {
    database.drop();
  } catch (const DatabaseError&) {  // The error that ended the probe matters more.
  }
}

ProbeRow probe_isolation(std::string_view address, const IsolationInfo& isolation, const DriverInfo& driver,
                         const ProbeOptions& options) {
  const std::unique_ptr<Database> database =
      open_database(address, {.isolation = std::string(isolation.name), .nodes = options.nodes});
  ProbeRow row{.isolation = std::string(isolation.name), .facts = database->facts(), .cells = {}, .more = {}};
  const auto probe_each = [&](std::span<const ProbeAnomaly> anomalies, std::vector<ProbeCell>& cells) {
    for (const ProbeAnomaly& anomaly : anomalies) {
      options.progress(isolation.name, anomaly.name);
      const bool possible = driver.has_ranges || !anomaly.needs_ranges();
      cells.push_back(possible ? probe_anomaly(*database, anomaly, options) : ProbeCell{});
    }
  };
  const auto probe_all = [&] {
    probe_each(all_probe_anomalies(), row.cells);
    probe_each(options.more, row.more);
  };
  try {
    probe_all();
  } catch (...) {
    drop_if_possible(*database);
    throw;
  }
  database->drop();
  return row;
}

}  // namespace

std::string_view name_of(ProbeCell::Result result) {
  static constexpr std::array<std::string_view, 4> kNames{"n/a", "prevented", "blocked", "happens"};
  return kNames[static_cast<std::size_t>(result)];
}

ProbeCell probe_anomaly(Database& database, const ProbeAnomaly& anomaly, const ProbeOptions& options) {
  ProbeCell worst;
  bool current = true;
  for (const std::vector<ProbeStep>& steps : probe_steps(anomaly.schedules)) {
    const ProbeCell cell = probe_schedule(database, anomaly, steps, options);
    current &= cell.finally_current;
    if (cell.result >= worst.result) worst = cell;
  }
  worst.finally_current = current;
  return worst;
}

std::vector<ProbeRow> probe_database(std::string_view address, const ProbeOptions& options) {
  const DriverInfo& driver = driver_of(address);
  std::vector<const IsolationInfo*> chosen;
  for (const std::string& name : options.isolations) chosen.push_back(&choose_isolation(driver, name));
  if (chosen.empty())
    for (const IsolationInfo& isolation : driver.isolations) chosen.push_back(&isolation);
  std::vector<ProbeRow> rows;
  rows.reserve(chosen.size());
  for (const IsolationInfo* isolation : chosen)
    rows.push_back(probe_isolation(address, *isolation, driver, options));
  return rows;
}

}  // namespace serval
