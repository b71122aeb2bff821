// Does the mirror keep up if few keys take all the load and no lock orders their writers? YCSB-A as
// RocksDB's optimistic transactions run it: 8 sessions, single reads and updates, so that commits of a
// key nearly always overlap. Measures the processor time of the verifier for n transactions and for 4n:
// the time per transaction must not grow.
//
//   hot_keys [transactions] [keys] [profile]

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "processor_time.h"
#include "serval/base/random.h"
#include "serval/online/online_verifier.h"
#include "serval/stream/record_batch.h"

namespace {

using namespace serval;

constexpr std::uint32_t kSessions = 8;

// Every transaction reads a key, perhaps writes it, and commits. A writer whose key has changed in the
// meantime is refused. Each step takes effect at a moment between its call and its answer, whichever
// session comes next.
class HotTrace {
 public:
  HotTrace(std::uint64_t transactions, std::uint64_t keys) : keys_(keys), random_(1) {
    std::vector<Session> sessions(kSessions);
    for (Session& session : sessions) schedule(session, 0);
    while (ended_ < transactions) {
      const auto next = std::ranges::min_element(sessions, {}, &Session::effect);
      step(*next, static_cast<std::uint32_t>(next - sessions.begin()));
    }
    std::ranges::stable_sort(records_, {}, [](const Record& record) { return record.time.begin; });
  }
  const std::vector<Record>& records() const { return records_; }

 private:
  struct Session {
    Time effect = 0;
    Interval time;                  // The interval of the next step.
    std::uint64_t transaction = 0;  // 0 if none is open.
    std::uint64_t key = 0, version = 0;
    std::int64_t written = 0;  // 0 if nothing was written.
  };
  struct Key {
    std::int64_t value = 0;
    std::uint64_t version = 0;
  };

  Time span() { return 1 + static_cast<Time>(random_.below(1000)); }

  void schedule(Session& session, Time from) {
    session.time.begin = from + span();
    session.effect = session.time.begin + span();
    session.time.end = session.effect + span();
  }

  void step(Session& session, std::uint32_t number) {
    if (session.transaction == 0)
      operate(session, number);
    else
      end(session, number);
    schedule(session, session.time.end);
  }

  Record& add(RecordKind kind, const Session& session, std::uint32_t number) {
    Record& record = records_.emplace_back();
    record.kind = kind;
    record.session = number;
    record.transaction = session.transaction;
    record.time = session.time;
    return record;
  }

  void operate(Session& session, std::uint32_t number) {
    session.transaction = ++begun_;
    session.key = random_.below(keys_.size());
    session.version = keys_[session.key].version;
    session.written = random_.chance(0.5) ? ++last_value_ : 0;
    show(session, number, OperationKind::Read, keys_[session.key].value);
    if (session.written != 0) show(session, number, OperationKind::Write, session.written);
  }

  void show(const Session& session, std::uint32_t number, OperationKind kind, std::int64_t value) {
    Record& record = add(RecordKind::Operation, session, number);
    record.operation = kind;
    batch_.set_rows(record, {{.key = TraceValue::of(static_cast<std::int64_t>(session.key)),
                              .value = TraceValue::of(value)}});
  }

  void end(Session& session, std::uint32_t number) {
    Key& key = keys_[session.key];
    const bool refused = key.version != session.version;
    if (session.written != 0 && !refused) key = {session.written, key.version + 1};
    add(refused ? RecordKind::Abort : RecordKind::Commit, session, number);
    session.transaction = 0;
    ++ended_;
  }

  std::vector<Key> keys_;
  Random random_;
  RecordBatch batch_;
  std::vector<Record> records_;
  std::uint64_t begun_ = 0, ended_ = 0;
  std::int64_t last_value_ = 0;
};

// Microseconds per transaction; negative after an alarm.
double measure(const online::Profile& profile, std::uint64_t transactions, std::uint64_t keys) {
  const HotTrace trace(transactions, keys);
  RecordBatch initial;
  Record& first = initial.add();
  first.kind = RecordKind::Initial;
  initial.set_rows(first, {{.key = {}, .value = TraceValue::of(std::int64_t{0})}});
  online::OnlineVerifier verifier(profile);
  online::OnlineResult result;
  const double seconds = seconds_of([&] {
    verifier.accept(first);
    verifier.accept(trace.records());
    result = verifier.finish();
  });
  const online::OnlineStatistics& counted = result.statistics;
  fmt::print("{} transactions, {} aborted: {:.3f} s, {:.2f} us a transaction, {} versions held\n",
             transactions, counted.aborted, seconds, seconds * 1e6 / static_cast<double>(transactions),
             counted.versions);
  if (result.violated()) fmt::print("{}", result.violations.front().format());
  return result.violated() ? -1 : seconds * 1e6 / static_cast<double>(transactions);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t transactions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50'000;
  const std::uint64_t keys = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10;
  const online::Profile* profile =
      online::find_profile(argc > 3 ? argv[3] : "rocksdb-optimistic:serializable");
  if (profile == nullptr) return 64;
  const double once = measure(*profile, transactions, keys);
  const double more = measure(*profile, 4 * transactions, keys);
  if (once < 0 || more < 0) return 1;
  fmt::print("growth {:.2f}: the time a transaction takes, four times as many against so many\n",
             more / once);
  return 0;
}
