// Verdicts under assumptions, compared with trying every serial order of small histories. An order
// counts if it explains every read and installs the versions of each key as the assumption says.

#include <algorithm>
#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/random.h"
#include "serval/check/check.h"
#include "serval/history/history_builder.h"
#include "serval/history/notation.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

constexpr std::uint32_t kTransactions = 5;
constexpr std::uint32_t kKeys = 2;

enum class Values { Unique, Repeated };

// Short transactions of two sessions that overlap in time. A read may see any written value. Values are
// unique, or a value may be written again and deleted.
History random_history(Random& random, Values values) {
  HistoryBuilder builder;
  const auto pick = [&](std::uint64_t below) { return static_cast<std::int64_t>(random.below(below)); };
  for (std::int64_t s = 0; s < 2; ++s) builder.session(Value::integer(s));
  for (std::int64_t k = 0; k < kKeys; ++k) builder.key(Value::integer(k));
  std::vector<std::int64_t> commits(kTransactions);
  std::iota(commits.begin(), commits.end(), 0);
  for (std::size_t i = commits.size(); i > 1; --i) std::swap(commits[i - 1], commits[random.below(i)]);
  std::array<Time, 2> clock{};
  for (std::uint32_t i = 0; i < kTransactions; ++i) {
    const auto session = static_cast<std::size_t>(pick(2));
    const TransactionId t =
        builder.begin_transaction(SessionId{static_cast<std::uint32_t>(session)}, Value::integer(i));
    const Time begin = clock[session] + 1 + pick(3), end = begin + pick(4);
    builder.set_interval(t, {begin, end});
    clock[session] = end;
    TransactionHints hints;
    hints.commit_timestamp = commits[i];
    builder.set_hints(t, hints);
    const std::int64_t key = pick(kKeys);
    const auto add = [&](OperationKind kind, std::int64_t k, Value value) {
      builder.add(t, kind, KeyId{static_cast<std::uint32_t>(k)}, value);
    };
    const auto write = [&](std::int64_t k) {
      const bool repeats = values == Values::Repeated && pick(3) == 0;
      if (repeats && pick(3) == 0) return add(OperationKind::Delete, k, Value::nil());
      add(OperationKind::Write, k, Value::integer(10 * (repeats ? pick(kTransactions) : i) + k + 1));
    };
    // Transaction i writes 10 i + k + 1 to key k, if it writes k at all.
    const auto seen = [&](std::int64_t k) {
      const std::int64_t writer = pick(kTransactions + 1) - 1;
      return writer < 0 || writer == i ? Value::nil() : Value::integer(10 * writer + k + 1);
    };
    if (pick(2) == 0) add(OperationKind::Read, key, seen(key));
    if (pick(4) > 0) write(key);
    const std::int64_t other = 1 - key;
    if (pick(2) == 0) add(OperationKind::Read, other, seen(other));
    if (pick(4) == 0) write(other);
  }
  return std::move(builder).freeze();
}

// The versions of a key that a transaction saw first and left last, as positions in the serial order's
// sequence of versions.
struct Visit {
  TransactionId transaction;
  std::size_t first, last;
  bool wrote;
};

class SerialOrder {
 public:
  SerialOrder(const History& history, const std::vector<std::uint32_t>& order) : history_(history) {
    for (const std::uint32_t t : order) run(TransactionId{t});
  }
  bool keeps(OrderBasis basis) const {
    if (!explains_reads_) return false;
    for (const std::vector<Visit>& visits : visits_)
      for (const Visit& a : visits)
        for (const Visit& b : visits)
          if (before(basis, a, b) && !in_order(basis, a, b)) return false;
    return true;
  }

 private:
  void run(TransactionId t) {
    std::array<std::size_t, kKeys> first{}, last{};
    std::array<bool, kKeys> touched{}, wrote{};
    for (const OperationId op : history_.operations(t)) {
      const std::size_t k = history_.key(op).index;
      const bool writes = history_.kind(op) != OperationKind::Read;
      if (writes) {
        state_[k] = history_.value(op);
        ++version_[k];
        wrote[k] = true;
      }
      if (!writes && history_.value(op) != state_[k]) explains_reads_ = false;
      if (!touched[k]) first[k] = version_[k];
      last[k] = version_[k];
      touched[k] = true;
    }
    for (std::size_t k = 0; k < kKeys; ++k)
      if (touched[k]) visits_[k].push_back({t, first[k], last[k], wrote[k]});
  }
  bool before(OrderBasis basis, const Visit& a, const Visit& b) const {
    if (basis == OrderBasis::CommitOrder)
      return *history_.hints(a.transaction)->commit_timestamp <
             *history_.hints(b.transaction)->commit_timestamp;
    if (basis == OrderBasis::SequentialKeys)
      return history_.session(a.transaction) == history_.session(b.transaction) &&
             a.transaction < b.transaction;
    return history_.interval(a.transaction).end < history_.interval(b.transaction).begin;
  }
  // Commit order constrains writers only, the other bases constrain every access.
  static bool in_order(OrderBasis basis, const Visit& a, const Visit& b) {
    if (basis != OrderBasis::CommitOrder) return a.last <= b.first;
    return !a.wrote || !b.wrote || a.last < b.last;
  }

  const History& history_;
  bool explains_reads_ = true;
  std::array<Value, kKeys> state_{};
  std::array<std::size_t, kKeys> version_{};
  std::array<std::vector<Visit>, kKeys> visits_;
};

bool some_order_keeps(const History& history, OrderBasis basis) {
  std::vector<std::uint32_t> order(history.transaction_count());
  std::iota(order.begin(), order.end(), 0u);
  do {
    if (SerialOrder(history, order).keeps(basis)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

class AssumptionsOracle : public testing::TestWithParam<OrderBasis> {};

TEST_P(AssumptionsOracle, AgreesOnEveryVerdict) {
  Random random = fresh_random();
  const std::uint64_t rounds = sample_of(10'000, 2500);
  std::uint64_t held = 0, refuted = 0, open = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const History history = random_history(random, Values::Unique);
    const CheckResult result = check(history, Level::Serializable, {.hints = {{GetParam()}, {}}});
    ASSERT_EQ(verify_witness(history, Level::Serializable, result.verdict), std::nullopt)
        << print_history(history);
    if (undecided(result.verdict)) {
      ++open;
      continue;
    }
    ASSERT_EQ(holds(result.verdict), some_order_keeps(history, GetParam())) << print_history(history);
    ++(holds(result.verdict) ? held : refuted);
  }
  EXPECT_GT(held, rounds / 100);
  EXPECT_GT(refuted, rounds / 100);
  EXPECT_LT(open, rounds / 10);
}

TEST_P(AssumptionsOracle, AgreesForRepeatedValues) {
  Random random = fresh_random();
  std::uint64_t held = 0, refuted = 0;
  for (std::uint64_t round = 0; round < sample_of(10'000, 2500); ++round) {
    const History history = random_history(random, Values::Repeated);
    for (const Level level : {Level::Serializable, Level::SnapshotIsolation}) {
      const CheckResult result = check(history, level, {.hints = {{GetParam()}, {}}});
      ASSERT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << print_history(history);
      if (undecided(result.verdict) || level != Level::Serializable) continue;
      ASSERT_EQ(holds(result.verdict), some_order_keeps(history, GetParam())) << print_history(history);
      ++(holds(result.verdict) ? held : refuted);
    }
  }
  EXPECT_GT(held, 0u);
  EXPECT_GT(refuted, 0u);
}

INSTANTIATE_TEST_SUITE_P(EveryAssumption, AssumptionsOracle,
                         testing::Values(OrderBasis::CommitOrder, OrderBasis::SequentialKeys,
                                         OrderBasis::LinearizableKeys));

}  // namespace
}  // namespace serval
