// Random traces of no particular database: several partitions find the same contradictions as one. Also
// run under the thread sanitizer.
#include <gtest/gtest.h>

#include "same_result.h"
#include "sample.h"
#include "serval/base/random.h"
#include "trace_builder.h"

namespace serval::online {
namespace {

constexpr const char* kNames[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

// There are few values, so that some reads fit, and times overlap, so that snapshots are narrowed.
class RandomTrace {
 public:
  RandomTrace(std::uint64_t seed, std::size_t transactions) : random_(seed), keys_(2 + random_.below(7)) {
    for (std::size_t k = 0; k < keys_; ++k) trace_.initial(kNames[k], 0);
    std::vector<Time> free_at(2 + random_.below(5), 0);
    for (std::uint64_t t = 1; t <= transactions; ++t) {
      const std::size_t session = random_.below(free_at.size());
      run(t, static_cast<std::uint32_t>(session), free_at[session]);
    }
  }
  const TraceBuilder& trace() const { return trace_; }

 private:
  Interval step(Time& now) {
    const Time begin = now + 1 + static_cast<Time>(random_.below(5));
    now = begin + static_cast<Time>(random_.below(20));
    return {begin, now};
  }

  void run(std::uint64_t t, std::uint32_t session, Time& now) {
    const std::uint64_t operations = 1 + random_.below(5);
    for (std::uint64_t i = 0; i < operations; ++i) {
      operate(t, now);
      trace_.last().session = session;
    }
    const std::uint64_t fate = random_.below(20);
    if (fate == 0)
      trace_.lose(t, now + 1);
    else if (fate < 4)
      trace_.abort(t, step(now));
    else
      trace_.commit(t, step(now));
    trace_.last().session = session;
  }

  // Accesses one row, or several in one statement.
  void operate(std::uint64_t t, Time& now) {
    const OperationKind kind = random_.chance(0.5) ? OperationKind::Read : OperationKind::Write;
    std::vector<TraceBuilder::Cell> cells;
    const std::uint64_t first = random_.below(keys_), count = random_.chance(0.2) ? 2 : 1;
    for (std::uint64_t i = 0; i < count; ++i)
      cells.push_back({kNames[(first + i) % keys_], static_cast<std::int64_t>(random_.below(4))});
    const LockMode lock =
        kind == OperationKind::Read && random_.chance(0.1) ? LockMode::Exclusive : LockMode::None;
    trace_.operation(t, kind, cells, step(now), lock);
  }

  Random random_;
  std::size_t keys_;
  TraceBuilder trace_;
};

#ifdef __SANITIZE_THREAD__
constexpr std::uint64_t kTraces = 4;
#else
constexpr std::uint64_t kTraces = 40;
#endif

TEST(RandomTraces, AreJudgedAlikeBySeveralPartitions) {
  std::uint64_t violated = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(kTraces))) {
    if (HasFailure()) break;
    const RandomTrace random(seed, 150);
    for (const char* profile :
         {"postgres:read-committed", "postgres:repeatable-read", "postgres:serializable",
          "mariadb:repeatable-read", "mariadb:serializable", "simulated:snapshot-isolation",
          "generic:strict-serializable", "tidb-optimistic:repeatable-read"}) {
      SCOPED_TRACE(testing::Message() << profile << " seed " << seed);
      OnlineOptions options{.most_violations = 100'000};
      const OnlineResult one = random.trace().verify(profile, options);
      violated += one.violated() ? 1 : 0;
      for (const Violation& violation : one.violations)
        ASSERT_FALSE(violation.key.empty()) << violation.format();
      options.partitions = 2 + static_cast<std::uint32_t>(seed % 3);
      expect_same(one, random.trace().verify(profile, options));
    }
  }
  EXPECT_GT(violated, 0u);
}

}  // namespace
}  // namespace serval::online
