// How fast is the online verifier, and does its memory stay constant? BlindW-RW as PostgreSQL
// SERIALIZABLE runs it: 24 sessions, 2,000 keys, 8 reads or 8 blind writes per transaction, overlapping
// intervals. The trace is generated here, piece by piece, by locks without waiting and snapshots. Only
// the verifier is timed.
//
//   online_verifier [transactions] [keys] [profile]
//   online_verifier scaling [transactions] [keys] [profile]   // One thread, then two partitions and three.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <queue>
#include <string_view>

#include <fmt/format.h>
#include <sys/resource.h>

#include "processor_time.h"
#include "serval/base/random.h"
#include "serval/online/online_report.h"
#include "serval/stream/record_batch.h"

namespace {

using namespace serval;

constexpr std::uint32_t kSessions = 24;
constexpr std::uint32_t kOperations = 8;
constexpr std::size_t kPiece = 100'000;  // Records.

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// A miniature database: each step of a session is called, takes effect and is answered at random
// moments.
class BlindTrace {
 public:
  explicit BlindTrace(std::uint64_t keys) : keys_(keys), sessions_(kSessions), random_(1) {
    for (std::uint32_t s = 0; s < kSessions; ++s) schedule(s, 0);
  }

  // The next records, ordered by their begins; at least one, until `transactions` have ended. They stay
  // valid until the call after the next one, because some of them wait for records that began before.
  void next(std::vector<Record>& out, std::uint64_t transactions) {
    out.clear();
    std::swap(batch_, other_batch_);
    batch_.clear();
    while (out.size() < kPiece && (ended_ < transactions || !ready_.empty())) {
      if (ended_ < transactions) step();
      flush(out, ended_ < transactions);
    }
  }

  // All records at once. They stay valid as long as this object.
  void all(std::vector<Record>& out, std::uint64_t transactions) {
    while (ended_ < transactions || !ready_.empty()) {
      if (ended_ < transactions) step();
      flush(out, ended_ < transactions);
    }
  }

 private:
  struct Version {
    std::uint64_t position = 0;
    std::int64_t value = 0;
  };
  struct Key {
    std::uint32_t holder = 0xFFFFFFFFu;
    std::vector<Version> versions{{}};
  };
  struct Step {
    Time effect, call, answer;
    std::uint32_t session;
    bool operator>(const Step& other) const { return effect > other.effect; }
  };
  struct Session {
    std::uint64_t transaction = 0;
    std::uint64_t snapshot = 0;
    Time call = 0;
    bool writes = false;
    std::vector<std::pair<std::uint64_t, std::int64_t>> written;
    std::uint32_t done = 0;
  };
  struct Later {
    bool operator()(const Record& a, const Record& b) const { return a.time.begin > b.time.begin; }
  };

  void schedule(std::uint32_t s, Time from) {
    const std::uint64_t draw = random_.next();
    const Time call = from + 1 + static_cast<Time>(draw % 512);
    const Time effect = call + 1 + static_cast<Time>(draw / 512 % 2048);
    sessions_[s].call = call;
    steps_.push({effect, call, effect + 1 + static_cast<Time>(draw / 1'048'576 % 2048), s});
  }

  void flush(std::vector<Record>& out, bool going) {
    Time earliest = kUnknownEnd;
    if (going)
      for (const Session& session : sessions_) earliest = std::min(earliest, session.call);
    for (; !ready_.empty() && ready_.top().time.begin < earliest; ready_.pop()) out.push_back(ready_.top());
  }

  Record& emit(const Step& step, RecordKind kind) {
    record_ = {};
    record_.kind = kind;
    record_.session = step.session;
    record_.transaction = sessions_[step.session].transaction;
    record_.time = {step.call, step.answer};
    return record_;
  }

  void step() {
    const Step now = steps_.top();
    steps_.pop();
    Session& session = sessions_[now.session];
    if (session.transaction == 0) {
      session.transaction = ++last_transaction_;
      session.writes = random_.chance(0.5);
      session.done = 0;
    }
    if (session.done == kOperations)
      commit(now, session);
    else
      operate(now, session);
    schedule(now.session, now.answer);
  }

  void operate(const Step& now, Session& session) {
    if (session.done++ == 0) session.snapshot = position_;
    const std::uint64_t key = random_.below(keys_.size());
    Record& record = emit(now, RecordKind::Operation);
    record.operation = session.writes ? OperationKind::Write : OperationKind::Read;
    std::int64_t value = 0;
    Key& state = keys_[key];
    if (session.writes) {
      const bool conflict = (state.holder != kNobody && state.holder != now.session) ||
                            state.versions.back().position > session.snapshot;
      if (conflict) return end(now, session, RecordKind::Abort);
      state.holder = now.session;
      value = ++last_value_;
      session.written.emplace_back(key, value);
    } else {
      for (std::size_t i = state.versions.size(); i-- > 0;)
        if (state.versions[i].position <= session.snapshot || i == 0) {
          value = state.versions[i].value;
          break;
        }
    }
    batch_.set_rows(
        record, {{.key = TraceValue::of(static_cast<std::int64_t>(key)), .value = TraceValue::of(value)}});
    ready_.push(record);
  }

  void commit(const Step& now, Session& session) {
    if (!session.written.empty()) ++position_;
    for (const auto& [key, value] : session.written) {
      std::vector<Version>& versions = keys_[key].versions;
      if (versions.back().position == position_)
        versions.back().value = value;
      else
        versions.push_back({position_, value});
      if (versions.size() > 64) versions.erase(versions.begin(), versions.begin() + 32);
    }
    end(now, session, RecordKind::Commit);
  }

  void end(const Step& now, Session& session, RecordKind kind) {
    ready_.push(emit(now, kind));
    for (const auto& [key, value] : session.written) keys_[key].holder = kNobody;
    session.written.clear();
    session.transaction = 0;
    session.done = 0;
    ++ended_;
  }

  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  std::vector<Key> keys_;
  std::vector<Session> sessions_;
  Random random_;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps_;
  std::priority_queue<Record, std::vector<Record>, Later> ready_;
  RecordBatch batch_, other_batch_;
  Record record_;
  std::uint64_t last_transaction_ = 0, ended_ = 0, position_ = 0;
  std::int64_t last_value_ = 0;
};

void accept_initial(online::OnlineVerifier& verifier) {
  RecordBatch initial;
  Record& first = initial.add();
  first.kind = RecordKind::Initial;
  initial.set_rows(first, {{.key = {}, .value = TraceValue::of(std::int64_t{0})}});
  verifier.accept(first);
}

int measure_speed(const online::Profile& profile, std::uint64_t transactions, std::uint64_t keys) {
  BlindTrace trace(keys);
  online::OnlineVerifier verifier(profile);
  accept_initial(verifier);
  std::vector<Record> records;
  double seconds = 0;
  for (trace.next(records, transactions); !records.empty(); trace.next(records, transactions)) {
    const double start = processor_seconds();
    verifier.accept(records);
    seconds += processor_seconds() - start;
  }
  const double start = processor_seconds();
  const online::OnlineResult result = verifier.finish();
  seconds += processor_seconds() - start;
  const online::OnlineStatistics& counted = result.statistics;
  fmt::print("{}\n", profile.name());
  fmt::print("{:.2f} s, {:.2f}M operations/s, {:.0f}k transactions/s, peak {:.0f} MB\n", seconds,
             static_cast<double>(counted.operations) / seconds / 1e6,
             static_cast<double>(counted.committed + counted.aborted) / seconds / 1e3, peak_megabytes());
  fmt::print("{}  held       {} versions, {} locks, {} vertices, {} edges\n", online::text_of(result),
             counted.versions, counted.locks, counted.vertices, counted.edges);
  return result.violated() ? 1 : 0;
}

// The whole trace is in memory before the clock starts, so that nothing but the verifier runs. The
// configurations take turns, and the best time of each counts.
int measure_scaling(const online::Profile& profile, std::uint64_t transactions, std::uint64_t keys) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint32_t kMostPartitions = 3;
  BlindTrace trace(keys);
  std::vector<Record> records;
  trace.all(records, transactions);
  std::array<double, kMostPartitions> best{};
  std::array<double, kMostPartitions> processor{};
  std::uint64_t operations = 0;
  for (int round = 0; round < 5; ++round)
    for (std::uint32_t partitions = 1; partitions <= kMostPartitions; ++partitions) {
      const auto start = Clock::now();
      const double processor_start = processor_seconds();
      online::OnlineVerifier verifier(profile, {.partitions = partitions});
      accept_initial(verifier);
      verifier.accept(records);
      const online::OnlineResult result = verifier.finish();
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (result.violated()) return 1;
      operations = result.statistics.operations;
      if (round > 0 && seconds >= best[partitions - 1]) continue;
      best[partitions - 1] = seconds;
      processor[partitions - 1] = processor_seconds() - processor_start;
    }
  for (std::uint32_t i = 0; i < kMostPartitions; ++i)
    fmt::print("{} {}: {:.3f} s, {:.2f}M operations/s, {:.2f} times one, processor time {:.3f} s\n", i + 1,
               i == 0 ? "partition (one thread)" : "partitions", best[i],
               static_cast<double>(operations) / best[i] / 1e6, best[0] / best[i], processor[i]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool scaling = argc > 1 && std::string_view(argv[1]) == "scaling";
  const int first = scaling ? 2 : 1;
  const std::uint64_t transactions =
      argc > first ? std::strtoull(argv[first], nullptr, 10) : (scaling ? 300'000 : 1'000'000);
  const std::uint64_t keys = argc > first + 1 ? std::strtoull(argv[first + 1], nullptr, 10) : 2'000;
  const online::Profile* profile =
      online::find_profile(argc > first + 2 ? argv[first + 2] : "postgres:serializable");
  if (profile == nullptr) return 64;
  return scaling ? measure_scaling(*profile, transactions, keys)
                 : measure_speed(*profile, transactions, keys);
}
