#include "serval/check/saturation/saturation.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/random.h"
#include "serval/check/check.h"
#include "serval/history/history_builder.h"
#include "serval/history/notation.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

constexpr std::array kLevels{Level::MonotonicAtomicView,
                             Level::ReadCommittedMonotonic,
                             Level::ReadAtomic,
                             Level::Causal,
                             Level::MonotonicReads,
                             Level::MonotonicWrites,
                             Level::ReadYourWrites,
                             Level::WritesFollowReads,
                             Level::Pram};

bool proven(const History& history, Level level) {
  const CheckResult result = check(history, level);
  const auto flaw = verify_witness(history, level, result.verdict);
  EXPECT_EQ(flaw, std::nullopt) << name_of(level) << ": " << *flaw << "\n" << print_history(history);
  EXPECT_FALSE(undecided(result.verdict)) << name_of(level) << "\n" << print_history(history);
  return holds(result.verdict);
}

bool accepts(Level level, const char* notation) { return proven(parse_history(notation), level); }

std::set<Level> accepting(const char* notation) {
  std::set<Level> levels;
  for (const Level level : kLevels)
    if (accepts(level, notation)) levels.insert(level);
  return levels;
}

std::set<Level> all_but(std::initializer_list<Level> refused) {
  std::set<Level> levels(kLevels.begin(), kLevels.end());
  for (const Level level : refused) levels.erase(level);
  return levels;
}

// The axioms exactly as they are written, over matrices: every premise is tried, without shortcuts.
class Naive {
 public:
  explicit Naive(const History& history)
      : history_(history), count_(history.transaction_count()), takes_part_(count_) {
    for (const TransactionId t : history.transactions()) {
      takes_part_[t.index] = history.outcome(t) == Outcome::Committed;
      for (const OperationId op : history.operations(t))
        if (history.kind(op) == OperationKind::Write) last_write_[{t, history.key(op)}] = history.value(op);
    }
    while (another_takes_part()) reads_.clear();
    collect_reads();
  }

  bool satisfies(Level level) {
    switch (level) {
      case Level::MonotonicAtomicView:
      case Level::ReadCommittedMonotonic:
      case Level::ReadAtomic:
      case Level::Causal:
        return has_commit_order(level);
      default:
        return has_version_orders(level);
    }
  }

 private:
  struct Read {
    std::uint32_t reader;
    std::uint32_t operation;
    KeyId key;
    int writer;  // -1: the initial version.
  };
  using Matrix = std::vector<std::vector<bool>>;

  Matrix nothing() const { return Matrix(count_, std::vector<bool>(count_, false)); }
  bool writes(std::uint32_t t, KeyId key) const {
    return takes_part_[t] && last_write_.contains({TransactionId{t}, key});
  }
  bool so(std::uint32_t a, std::uint32_t b) const {
    return takes_part_[a] && takes_part_[b] && a < b &&
           history_.session(TransactionId{a}) == history_.session(TransactionId{b});
  }

  bool another_takes_part() {
    collect_reads();
    for (const Read& read : reads_)
      if (read.writer >= 0 && !takes_part_[static_cast<std::size_t>(read.writer)])
        return takes_part_[static_cast<std::size_t>(read.writer)] = true;
    return false;
  }

  void collect_reads() {
    reads_.clear();
    wrong_read_ = disagreement_ = false;
    for (std::uint32_t t = 0; t < count_; ++t) {
      std::map<KeyId, Value> own, first;
      for (const OperationId op : history_.operations(TransactionId{t})) {
        const KeyId key = history_.key(op);
        if (history_.kind(op) == OperationKind::Write) {
          own[key] = history_.value(op);
        } else if (takes_part_[t] && own.contains(key)) {
          wrong_read_ = wrong_read_ || own[key] != history_.value(op);
        } else if (takes_part_[t]) {
          disagreement_ =
              disagreement_ || first.try_emplace(key, history_.value(op)).first->second != history_.value(op);
          add_read(t, op);
        }
      }
    }
  }
  void add_read(std::uint32_t t, OperationId op) {
    const KeyId key = history_.key(op);
    if (history_.value(op) == history_.initial_value()) {
      reads_.push_back({t, op.index, key, -1});
      return;
    }
    for (const auto& [written, value] : last_write_) {
      const bool matches = written.second == key && value == history_.value(op) && written.first.index != t;
      if (!matches || history_.outcome(written.first) == Outcome::Aborted) continue;
      reads_.push_back({t, op.index, key, static_cast<int>(written.first.index)});
      return;
    }
    wrong_read_ = true;
  }

  bool from(std::uint32_t writer, std::uint32_t reader) const {
    return std::ranges::any_of(reads_, [&](const Read& read) {
      return read.reader == reader && read.writer == static_cast<int>(writer);
    });
  }

  static void close(Matrix& reach) {
    for (std::size_t k = 0; k < reach.size(); ++k)
      for (std::size_t i = 0; i < reach.size(); ++i)
        if (reach[i][k])
          for (std::size_t j = 0; j < reach.size(); ++j)
            if (reach[k][j]) reach[i][j] = true;
  }
  static bool cyclic(Matrix edges) {
    close(edges);
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (edges[i][i]) return true;
    return false;
  }

  Matrix visible(Level level) const {
    Matrix one = nothing();
    for (std::uint32_t a = 0; a < count_; ++a)
      for (std::uint32_t b = 0; b < count_; ++b) one[a][b] = so(a, b) || from(a, b);
    if (level == Level::Causal) close(one);
    return one;
  }

  bool has_commit_order(Level level) const {
    const bool atomic = level == Level::ReadAtomic || level == Level::Causal;
    if (wrong_read_ || (atomic && disagreement_)) return false;
    Matrix order = nothing();
    for (std::uint32_t a = 0; a < count_; ++a)
      for (std::uint32_t b = 0; b < count_; ++b)
        order[a][b] = from(a, b) || (uses_session_order(level) && so(a, b));
    const Matrix seen = visible(level);
    for (const Read& read : reads_)
      for (std::uint32_t other = 0; other < count_; ++other) {
        const bool saw = atomic ? seen[other][read.reader] : had_read_from(other, read);
        if (!writes(other, read.key) || static_cast<int>(other) == read.writer || !saw) continue;
        if (read.writer < 0) return false;
        order[other][static_cast<std::size_t>(read.writer)] = true;
      }
    return !cyclic(order);
  }
  bool had_read_from(std::uint32_t other, const Read& later) const {
    return std::ranges::any_of(reads_, [&](const Read& read) {
      return read.reader == later.reader && read.operation < later.operation &&
             read.writer == static_cast<int>(other);
    });
  }

  bool must_see(Level level, std::uint32_t seen, std::uint32_t reader) const {
    const bool pram = level == Level::Pram;
    if ((level == Level::ReadYourWrites || pram) && so(seen, reader)) return true;
    for (std::uint32_t a = 0; a < count_; ++a) {
      if ((level == Level::MonotonicReads || pram) && from(seen, a) && so(a, reader)) return true;
      if ((level == Level::MonotonicWrites || pram) && so(seen, a) && from(a, reader)) return true;
      for (std::uint32_t b = 0; b < count_; ++b) {
        if (level == Level::WritesFollowReads && from(seen, a) && so(a, b) && from(b, reader)) return true;
        if (pram && so(seen, a) && from(a, b) && so(b, reader)) return true;
      }
    }
    return false;
  }

  bool has_version_orders(Level level) const {
    for (const KeyId key : history_.key_ids()) {
      Matrix order = nothing();
      for (const Read& read : reads_)
        for (std::uint32_t other = 0; other < count_; ++other) {
          if (read.key != key || !writes(other, key) || static_cast<int>(other) == read.writer) continue;
          if (!must_see(level, other, read.reader)) continue;
          if (read.writer < 0) return false;
          order[other][static_cast<std::size_t>(read.writer)] = true;
        }
      if (cyclic(order)) return false;
    }
    return true;
  }

  const History& history_;
  std::size_t count_;
  std::vector<bool> takes_part_;
  std::map<std::pair<TransactionId, KeyId>, Value> last_write_;
  std::vector<Read> reads_;
  bool wrong_read_ = false, disagreement_ = false;
};

// Registers with unique values: blind writes, repeated reads, aborted and indeterminate transactions,
// reads of the initial version and, occasionally, of anything.
class RandomRegisters {
 public:
  explicit RandomRegisters(std::uint64_t seed)
      : random_(seed),
        keys_(1 + random_.below(4)),
        sessions_(1 + random_.below(4)),
        transactions_(2 + random_.below(14)),
        operations_(1 + random_.below(random_.chance(0.1) ? 30 : 5)),
        stale_(random_.chance(0.3) ? 0.0 : random_.unit() * 0.3),
        lies_(random_.chance(0.8) ? 0.0 : 0.05),
        lost_(random_.chance(0.5) ? 0.0 : 0.2) {}

  History make() {
    HistoryBuilder builder;
    builder.set_initial_value(Value::integer(0));
    for (std::uint64_t t = 0; t < transactions_; ++t) add_transaction(builder);
    return std::move(builder).freeze();
  }

 private:
  void add_transaction(HistoryBuilder& builder) {
    const auto session = static_cast<std::int64_t>(random_.below(sessions_));
    const auto label = static_cast<std::int64_t>(builder.transaction_count() + 1);
    const TransactionId t =
        builder.begin_transaction(builder.session(Value::integer(session)), Value::integer(label));
    std::map<std::uint64_t, std::int64_t> own;
    const std::uint64_t count = 1 + random_.below(operations_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t key = random_.below(keys_);
      const bool write = random_.chance(0.45);
      const std::int64_t value = write ? ++last_value_ : own.contains(key) ? own[key] : value_of(key);
      if (write) own[key] = value;
      builder.add(t, write ? OperationKind::Write : OperationKind::Read,
                  builder.key(Value::integer(static_cast<std::int64_t>(key))), Value::integer(value));
    }
    const Outcome outcome = !random_.chance(lost_) ? Outcome::Committed
                            : random_.chance(0.5)  ? Outcome::Aborted
                                                   : Outcome::Indeterminate;
    builder.set_outcome(t, outcome);
    if (outcome == Outcome::Aborted) return;
    for (const auto& [key, value] : own) written_[key].push_back(value);
  }

  std::int64_t value_of(std::uint64_t key) {
    if (random_.chance(lies_))
      return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(last_value_) + 2));
    const std::vector<std::int64_t>& values = written_[key];
    if (values.empty()) return 0;
    if (!random_.chance(stale_)) return values.back();
    const std::uint64_t chosen = random_.below(values.size() + 1);
    return chosen == values.size() ? 0 : values[chosen];
  }

  Random random_;
  std::uint64_t keys_, sessions_, transactions_, operations_;
  double stale_, lies_, lost_;
  std::int64_t last_value_ = 0;
  std::map<std::uint64_t, std::vector<std::int64_t>> written_;
};

TEST(Saturation, AgreesWithTheAxiomsAsWrittenOnRandomHistories) {
  std::map<Level, std::array<int, 2>> tally;
  const std::uint64_t count = sample_of(6000, 800);
  for (const std::uint64_t seed : fresh_seeds(count)) {
    if (testing::Test::HasFailure()) break;
    const History history = RandomRegisters(seed).make();
    Naive naive(history);
    for (const Level level : kLevels) {
      const bool truth = naive.satisfies(level);
      EXPECT_EQ(proven(history, level), truth) << name_of(level) << ", seed " << seed << "\n"
                                               << print_history(history);
      ++tally[level][truth ? 1 : 0];
    }
  }
  for (const auto& [level, counts] : tally)
    for (const int times : counts) EXPECT_GT(times, static_cast<int>(count / 100)) << name_of(level);
}

TEST(Saturation, AcceptsEveryLevelForASerialHistory) {
  EXPECT_EQ(accepting("s1: [w(x,1)] [w(y,1)]  s2: [r(x,1) r(y,1) w(x,2)]  s3: [w(y,3)] [r(x,2)]"),
            all_but({}));
}

TEST(Saturation, BlindWritesInOppositeOrdersNeedNoOrderOfVersions) {
  EXPECT_EQ(accepting("s1: [w(x,1) w(y,1)]  s2: [w(x,2) w(y,2)]  s3: [r(x,1) r(y,1)]  s4: [r(x,2) r(y,2)]"),
            all_but({}));
}

TEST(Saturation, ReadThatMissesHalfOfAWriterIsFractured) {
  EXPECT_EQ(accepting("s1: [w(x,1) w(y,1)]  s2: [w(x,2)] [r(x,2)]  s3: [r(x,0) r(y,1)]"),
            all_but({Level::ReadAtomic, Level::Causal}));
}

TEST(Saturation, StaleReadOfTheInitialVersionIsRefutedAtOnce) {
  EXPECT_EQ(accepting("s1: [w(x,1)] [r(x,0)]"),
            all_but({Level::ReadAtomic, Level::Causal, Level::ReadYourWrites, Level::Pram}));
  EXPECT_EQ(accepting("s1: [w(x,1)]  s2: [r(x,1)] [r(x,0)]"),
            all_but({Level::Causal, Level::MonotonicReads, Level::Pram}));
  EXPECT_EQ(accepting("s1: [w(x,1)] [w(y,1)]  s2: [r(y,1) r(x,0)]"),
            all_but({Level::Causal, Level::MonotonicWrites, Level::Pram}));
  EXPECT_EQ(accepting("s1: [w(x,1)]  s2: [r(x,1)] [w(y,1)]  s3: [r(y,1) r(x,0)]"),
            all_but({Level::Causal, Level::WritesFollowReads}));
  EXPECT_EQ(accepting("s1: [w(x,1)] [w(y,1)]  s2: [r(y,1)] [r(x,0)]"), all_but({Level::Causal, Level::Pram}));
}

TEST(Saturation, RepeatedReadsCountIndividuallyWhereTheyAreAllowed) {
  EXPECT_EQ(accepting("s1: [w(x,1)]  s2: [w(x,2)]  s3: [r(x,1) r(x,2)]"),
            all_but({Level::ReadAtomic, Level::Causal}));
  EXPECT_EQ(
      accepting("s1: [w(x,1)]  s2: [w(x,2)]  s3: [r(x,1) r(x,2) r(x,1)]"),
      all_but({Level::MonotonicAtomicView, Level::ReadCommittedMonotonic, Level::ReadAtomic, Level::Causal}));
}

TEST(Saturation, SessionOrderSeparatesReadCommittedFromMonotonicAtomicView) {
  EXPECT_EQ(accepting("s1: [r(x,1)] [w(x,1)]"),
            all_but({Level::ReadCommittedMonotonic, Level::ReadAtomic, Level::Causal}));
}

TEST(Saturation, ReadYourWritesCountsEveryEarlierWriteNotOnlyTheLast) {
  const char* const notation = "s1: [w(x,1)] [w(x,2)] [r(x,3)]  s2: [w(x,3)] [r(x,1)]";
  EXPECT_FALSE(accepts(Level::ReadYourWrites, notation));
  EXPECT_TRUE(accepts(Level::MonotonicReads, notation));
}

TEST(Saturation, WrongReadsRefuteReadCommittedAndAboveButNotSessionGuarantees) {
  EXPECT_EQ(accepting("s1: [w(x,1)]!  s2: [r(x,1)]"),
            (std::set{Level::MonotonicReads, Level::MonotonicWrites, Level::ReadYourWrites,
                      Level::WritesFollowReads, Level::Pram}));
}

// The search for a serial order tries each writer. If it finds no order, no engine decides the weak
// levels.
TEST(Saturation, DuplicateValuesThatAreReadAreLeftToTheStrongLevels) {
  const History history = parse_history("s1: [w(x,1)]  s2: [w(x,1)]  s3: [r(x,1)]");
  for (const Level level : kLevels) {
    const Verdict verdict = check(history, level).verdict;
    ASSERT_TRUE(holds(verdict)) << name_of(level);
    EXPECT_EQ(verify_witness(history, level, verdict), std::nullopt) << name_of(level);
  }
  const History refuted = parse_history("s1: [w(x,1)]  s2: [w(x,1)]  s3: [r(x,1)]  s4: [w(y,1)] [r(y,0)]");
  EXPECT_TRUE(violated(check(refuted, Level::Causal).verdict));
}

TEST(Saturation, NamesTheEngine) {
  const History history = parse_history("s1: [w(x,1)]  s2: [w(x,2)]  s3: [r(x,1)]");
  EXPECT_EQ(check(history, Level::ReadAtomic).engine, "saturation");
}

TEST(SaturationWitness, WrongCommitOrdersAreRejected) {
  const History history =
      parse_history("s1: [w(x,1) w(y,1)] [w(z,1)]  s2: [w(x,2)]  s3: [r(y,1) r(x,2)] [r(z,1) r(x,2)]");
  for (const Level level :
       {Level::MonotonicAtomicView, Level::ReadCommittedMonotonic, Level::ReadAtomic, Level::Causal}) {
    std::vector<TransactionId> order = std::get<Holds>(check(history, level).verdict).commit_order;
    std::ranges::sort(order);
    int accepted = 0;
    do {
      const Holds claim{.proven = level, .commit_order = order, .snapshot = {}};
      const bool stands = verify_witness(history, level, claim) == std::nullopt;
      const auto at = [&](std::uint32_t t) {
        return std::ranges::find(order, TransactionId{t}) - order.begin();
      };
      const bool sessions = level == Level::MonotonicAtomicView || (at(0) < at(1) && at(3) < at(4));
      const bool reads = at(0) < at(3) && at(2) < at(3) && at(1) < at(4) && at(2) < at(4);
      EXPECT_EQ(stands, sessions && reads && at(0) < at(2)) << name_of(level);
      accepted += stands ? 1 : 0;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_GT(accepted, 0) << name_of(level);
    const Holds short_claim{
        .proven = level, .commit_order = {order.begin(), order.end() - 1}, .snapshot = {}};
    EXPECT_NE(verify_witness(history, level, short_claim), std::nullopt);
  }
}

TEST(SaturationWitness, WrongVersionOrdersAreRejected) {
  const History history = parse_history(
      "s1: [w(x,1)]  s2: [r(x,1)] [w(x,2)] [r(x,2)] [w(y,1)]  s3: [r(x,2)]  s4: [r(y,1) r(x,0)]");
  const CheckResult result = check(history, Level::MonotonicReads);
  ASSERT_TRUE(holds(result.verdict));
  const Holds& claim = std::get<Holds>(result.verdict);
  EXPECT_TRUE(claim.commit_order.empty());
  EXPECT_EQ(verify_witness(history, Level::MonotonicReads, claim), std::nullopt);
  const auto with = [&](std::initializer_list<std::uint32_t> writers_of_x) {
    Holds changed{.proven = Level::MonotonicReads, .commit_order = {}, .snapshot = {}};
    std::vector<TransactionId> row;
    for (const std::uint32_t t : writers_of_x) row.push_back(TransactionId{t});
    changed.version_order.push_row(row);
    changed.version_order.push_row(claim.version_order[1]);
    return verify_witness(history, Level::MonotonicReads, changed);
  };
  EXPECT_EQ(with({0, 2}), std::nullopt);
  EXPECT_NE(with({2, 0}), std::nullopt) << "s2 read 1 and later 2";
  EXPECT_NE(with({0}), std::nullopt);
  EXPECT_NE(with({0, 2, 2}), std::nullopt);
  EXPECT_NE(with({0, 2, 3}), std::nullopt);
}

}  // namespace
}  // namespace serval
