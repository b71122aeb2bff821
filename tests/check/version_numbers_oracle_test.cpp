// Blind writes of which some have known version numbers, as King Cobra takes them. Verdicts under the
// assumption `versions` are compared with trying every commit order of small histories, where each write
// keeps its number with probability p. Covers serializable and snapshot isolation, with and without
// session order; nothing may remain undecided.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <tuple>

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

// Two sessions. Transaction i writes 10 i + k + 1 to key k, if it writes k at all. A read sees the
// latest write in the order of the transactions, or occasionally any write. Numbers ascend in that
// order, with occasional exceptions.
class RandomHistory {
 public:
  RandomHistory(Random& random, double share) : random_(random), share_(share) {}

  History make() && {
    for (std::int64_t s = 0; s < 2; ++s) builder_.session(Value::integer(s));
    for (std::int64_t k = 0; k < kKeys; ++k) builder_.key(Value::integer(k));
    strange_ = random_.chance(0.5);
    for (std::uint32_t i = 0; i < kTransactions; ++i) {
      const SessionId session{static_cast<std::uint32_t>(random_.below(2))};
      const TransactionId t = builder_.begin_transaction(session, Value::integer(i));
      const auto key = static_cast<std::uint32_t>(random_.below(kKeys));
      if (random_.chance(0.4)) read(t, key);
      if (random_.chance(0.7)) write(t, key);
      if (random_.chance(0.5)) read(t, 1 - key);
      if (random_.chance(0.4)) write(t, 1 - key);
    }
    return std::move(builder_).freeze();
  }

 private:
  void read(TransactionId t, std::uint32_t key) {
    Value seen = latest_[key];
    if (strange_ && random_.chance(0.4)) {
      const auto writer = static_cast<std::int64_t>(random_.below(kTransactions + 1)) - 1;
      seen = writer < 0 || writer == t.index ? Value::nil() : Value::integer(10 * writer + key + 1);
    }
    builder_.add(t, OperationKind::Read, KeyId{key}, seen);
  }
  void write(TransactionId t, std::uint32_t key) {
    latest_[key] = Value::integer(10 * std::int64_t{t.index} + key + 1);
    Operation operation{.kind = OperationKind::Write, .key = KeyId{key}, .value = latest_[key]};
    const std::int64_t number = 10 * (static_cast<std::int64_t>(t.index) + 1);
    if (random_.chance(share_)) operation.version = strange_ && random_.chance(0.2) ? 55 - number : number;
    builder_.add(t, operation);
  }

  Random& random_;
  double share_;
  bool strange_ = false;
  std::array<Value, kKeys> latest_{};
  HistoryBuilder builder_;
};

// One commit order. Every transaction reads a snapshot, which is a prefix of the order. At serializable,
// the prefix is everything that committed before. At snapshot isolation, it is any prefix that contains
// every earlier writer of the keys that the transaction writes.
class CommitOrder {
 public:
  CommitOrder(const History& history, const std::vector<std::uint32_t>& order, Level level)
      : history_(history), order_(order), level_(level) {}

  bool explains() const {
    if (!keeps_numbers()) return false;
    for (std::size_t place = 0; place < order_.size(); ++place)
      if (!has_snapshot(place)) return false;
    return true;
  }

 private:
  bool writes(std::uint32_t t, std::size_t key) const {
    for (const OperationId op : history_.operations(TransactionId{t}))
      if (history_.kind(op) == OperationKind::Write && history_.key(op).index == key) return true;
    return false;
  }

  bool keeps_numbers() const {
    std::array<std::int64_t, kKeys> last{};
    for (const std::uint32_t t : order_)
      for (const OperationId op : history_.operations(TransactionId{t})) {
        const auto version = history_.operation(op).version;
        if (!version) continue;
        std::int64_t& before = last[history_.key(op).index];
        if (*version < before) return false;
        before = *version;
      }
    return true;
  }

  bool has_snapshot(std::size_t place) const {
    const std::uint32_t t = order_[place];
    std::size_t first = implies(level_, Level::Serializable) ? place : 0;
    for (std::size_t other = 0; other < order_.size(); ++other) {
      const bool same = history_.session(TransactionId{order_[other]}) == history_.session(TransactionId{t});
      if (uses_session_order(level_) && same && order_[other] < t) {
        if (other > place) return false;
        first = std::max(first, other + 1);
      }
      if (other < place && conflict(order_[other], t)) first = std::max(first, other + 1);
    }
    for (std::size_t size = first; size <= place; ++size)
      if (reads_as_recorded(t, size)) return true;
    return false;
  }

  bool conflict(std::uint32_t a, std::uint32_t b) const {
    for (std::size_t key = 0; key < kKeys; ++key)
      if (writes(a, key) && writes(b, key)) return true;
    return false;
  }

  bool reads_as_recorded(std::uint32_t t, std::size_t size) const {
    std::array<Value, kKeys> state{};
    const auto run = [&](std::uint32_t of, bool compare) {
      for (const OperationId op : history_.operations(TransactionId{of})) {
        Value& value = state[history_.key(op).index];
        if (history_.kind(op) == OperationKind::Write) value = history_.value(op);
        if (compare && history_.value(op) != value) return false;
      }
      return true;
    };
    for (std::size_t i = 0; i < size; ++i) run(order_[i], false);
    return run(t, true);
  }

  const History& history_;
  const std::vector<std::uint32_t>& order_;
  Level level_;
};

bool some_order_explains(const History& history, Level level) {
  std::vector<std::uint32_t> order(history.transaction_count());
  std::iota(order.begin(), order.end(), 0u);
  do {
    if (CommitOrder(history, order, level).explains()) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

class VersionNumbersOracle : public testing::TestWithParam<std::tuple<Level, double>> {};

TEST_P(VersionNumbersOracle, AgreesOnEveryVerdict) {
  const auto [level, share] = GetParam();
  Random random = fresh_random();
  const std::uint64_t rounds = sample_of(7000, 140);
  std::uint64_t held = 0, refuted = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const History history = RandomHistory(random, share).make();
    const CheckResult result = check(history, level, {.hints = {{OrderBasis::Versions}, {}}});
    ASSERT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << print_history(history);
    ASSERT_FALSE(undecided(result.verdict)) << print_history(history);
    ASSERT_EQ(holds(result.verdict), some_order_explains(history, level)) << print_history(history);
    ++(holds(result.verdict) ? held : refuted);
  }
  EXPECT_GT(held, rounds / 20);
  EXPECT_GT(refuted, rounds / 20);
}

INSTANTIATE_TEST_SUITE_P(
    EveryShare, VersionNumbersOracle,
    testing::Combine(testing::Values(Level::Serializable, Level::StrongSessionSerializable,
                                     Level::SnapshotIsolation, Level::StrongSessionSnapshotIsolation),
                     testing::Values(0.0, 0.3, 0.9, 1.0)));

}  // namespace
}  // namespace serval
