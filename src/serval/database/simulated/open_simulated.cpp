// The simulated database as a driver: an in-process store that guarantees the requested level, except
// for bugs requested in its address.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/database/address.h"
#include "serval/database/drivers.h"
#include "serval/database/simulated/shared_store.h"

namespace serval {
namespace simulated {
namespace {

struct ClientOptions {
  std::chrono::microseconds latency;
  bool certificate = false;  // Responses to ranges, and those without a row, report the state that they saw.
};

class SimulatedClient final : public Client {
 public:
  SimulatedClient(std::shared_ptr<SharedStore> store, const ClientOptions& options)
      : store_(std::move(store)), session_(store_->open_session()), options_(options) {}
  ~SimulatedClient() override { store_->close_session(session_); }
  SimulatedClient(const SimulatedClient&) = delete;
  SimulatedClient& operator=(const SimulatedClient&) = delete;

  void begin() override { store_->begin(session_); }

  // Other sessions proceed while a response travels. Otherwise transactions would hardly overlap on few
  // cores.
  Answer perform(const Request& request) override {
    Answer answer = store_->perform(session_, request);
    // A missing row has no tag; only the state shows what was seen.
    const bool needs_state =
        is_range(request.kind) || (answer.rows.empty() && request.kind != Request::Kind::ReadList);
    if (options_.certificate && needs_state && session_->state_seen)
      answer.timestamp = static_cast<std::int64_t>(*session_->state_seen);
    travel();
    return answer;
  }

  Outcome commit() override { return store_->commit(session_); }
  void roll_back() override { store_->roll_back(session_); }

  // The numbers of the snapshot and of the commit.
  TransactionHints hints() const override {
    TransactionHints hints;
    if (session_->view && session_->view->snapshot != kNoPosition)
      hints.start_timestamp = static_cast<std::int64_t>(session_->view->snapshot);
    if (session_->commit_position)
      hints.commit_timestamp = static_cast<std::int64_t>(*session_->commit_position);
    return hints;
  }

 private:
  void travel() {
    if (options_.latency.count() == 0) return;
    std::unique_lock lock(way_);
    arrival_.wait_for(lock, options_.latency, [] { return false; });
  }

  std::shared_ptr<SharedStore> store_;
  SharedStore::Session session_;
  ClientOptions options_;
  std::mutex way_;
  std::condition_variable arrival_;
};

struct SimulatedOptions {
  SimulatedLevel level;
  std::vector<SimulatedBug> bugs;
  std::uint64_t seed;
  ClientOptions client;
};

class SimulatedDriver final : public Database {
 public:
  explicit SimulatedDriver(SimulatedOptions options) : options_(std::move(options)) {}

  std::map<std::string, std::string> facts() override {
    std::map<std::string, std::string> out{
        {"database", "simulated"}, {"version", "1"}, {"isolation", std::string(info(options_.level).name)}};
    for (const SimulatedBug& bug : options_.bugs) {
      std::string& all = out["bugs"];
      all += fmt::format("{}{}:probability={}", all.empty() ? "" : "+", info(bug.kind).name, bug.probability);
      if (bug.limit > 0) all += fmt::format(",limit={}", bug.limit);
    }
    return out;
  }

  void create(const Schema& schema) override {
    auto store = std::make_shared<SharedStore>(options_.level, options_.bugs, options_.seed, schema);
    const std::lock_guard lock(mutex_);
    store_ = std::move(store);
  }

  void drop() override {
    const std::lock_guard lock(mutex_);
    store_.reset();
  }

  std::unique_ptr<Client> connect(std::uint32_t /*session*/) override {
    const std::lock_guard lock(mutex_);
    expects(store_ != nullptr, "create comes first");
    return std::make_unique<SimulatedClient>(store_, options_.client);
  }

  // Without a snapshot, a transaction sees several states.
  std::unique_ptr<Client> connect_observer(std::uint32_t /*attempt*/) override {
    return info(options_.level).reads == SimulatedLevelInfo::Reads::Snapshot ? connect(0) : nullptr;
  }

  // The store numbers its commits, and sessions report these numbers.
  std::unique_ptr<Recovery> recover() override { return std::make_unique<RecordedBySessions>(); }

 private:
  SimulatedOptions options_;
  std::mutex mutex_;
  std::shared_ptr<SharedStore> store_;
};

// "dirty-read:probability=0.5+lost-update"
std::vector<SimulatedBug> parse_bugs(std::string_view specs) {
  std::vector<SimulatedBug> bugs;
  while (!specs.empty()) {
    const std::string_view spec = specs.substr(0, specs.find('+'));
    specs.remove_prefix(std::min(spec.size() + 1, specs.size()));
    bugs.push_back(parse_simulated_bug(spec));
  }
  return bugs;
}

std::uint64_t parse_number(const Address& parts, const std::string& name, std::uint64_t otherwise,
                           std::uint64_t most) {
  const std::string text = parts.option(name, std::to_string(otherwise));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number > most)
    throw InputError(
        {}, fmt::format("{}=\"{}\" in the address: expected a whole number up to {}", name, text, most));
  return number;
}

}  // namespace
}  // namespace simulated

std::unique_ptr<Database> open_simulated(std::string_view address, const DatabaseOptions& options) {
  const Address parts = read_address(address, {"bug", "seed", "latency"});
  if (!parts.place.empty())
    throw InputError({}, fmt::format("the simulated database has no place \"{}\"", parts.place), {},
                     "simulated: or simulated:?bug=NAME");
  if (!options.nodes.empty()) throw InputError({}, "the simulated database runs in this process: no nodes");
  constexpr std::uint64_t kLatency = 20, kMostLatency = 1'000'000;  // Microseconds.
  return std::make_unique<simulated::SimulatedDriver>(simulated::SimulatedOptions{
      parse_simulated_level(options.isolation),
      simulated::parse_bugs(parts.option("bug", "")),
      simulated::parse_number(parts, "seed", 1, std::numeric_limits<std::uint64_t>::max()),
      {.latency =
           std::chrono::microseconds(simulated::parse_number(parts, "latency", kLatency, kMostLatency)),
       .certificate = options.certificate}});
}

}  // namespace serval
