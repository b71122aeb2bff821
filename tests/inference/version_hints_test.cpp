// The order of versions under assumptions: what each source says, and what happens if two disagree.

#include "serval/inference/version_hints.h"

#include <gtest/gtest.h>

#include "serval/history/history_builder.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

struct Hinted {
  Hinted(History given, Assumptions assumptions, std::vector<std::int64_t> order = {})
      : history(std::move(given)) {
    Budget budget = Budget::unlimited();
    relations = infer_relations(history, budget);
    add_version_hints(history, {assumptions, std::move(order)}, relations, budget);
  }
  Hinted(const std::string& notation, Assumptions assumptions, std::vector<std::int64_t> order = {})
      : Hinted(parse_history(notation), assumptions, std::move(order)) {}

  // The values of the first key's versions along the chain of overwriters, starting with the initial
  // one.
  std::string chain() const {
    std::string values = "_";
    VersionId at{0};
    for (std::size_t steps = 0; steps < relations.read_write_sets.versions.size(); ++steps) {
      const TransactionId next = relations.read_write_sets.versions[at.index].overwriter;
      if (next.is_none()) break;
      for (const Access& access : relations.read_write_sets.of(next))
        if (access.key == KeyId{0}) at = access.written;
      values += " " + history.format(history.value(relations.read_write_sets.write_operation[at.index]));
    }
    return values;
  }
  std::vector<std::string> contradictions() const {
    std::vector<std::string> found;
    for (const VersionContradiction& c : relations.contradictions) {
      found.push_back(history.format_key(c.key) + " " + std::string(name_of(c.basis)) + ":");
      for (const VersionPrecedence& step : c.steps) {
        found.back() += " " + (step.earlier.is_none() ? "_" : history.format(history.value(step.earlier))) +
                        "<" + history.format(history.value(step.later)) + " " +
                        std::string(name_of(step.basis));
      }
    }
    return found;
  }
  bool complete() const { return relations.order_is_complete(); }

  History history;
  Relations relations;
};

constexpr Assumptions kSequential{OrderBasis::SequentialKeys};
constexpr Assumptions kLinearizable{OrderBasis::LinearizableKeys};

TEST(VersionHints, WithoutAssumptionsBlindWritesStayOpen) {
  const Hinted hinted("a: [w(x,1)] [w(x,2)]", {});
  EXPECT_FALSE(hinted.complete());
  EXPECT_FALSE(hinted.relations.has_separate_writes);
}

TEST(VersionHints, ASessionOrdersItsOwnWrites) {
  const Hinted hinted("a: [w(x,1)] [w(x,2)] [w(x,3)]", kSequential);
  EXPECT_TRUE(hinted.complete());
  EXPECT_EQ(hinted.chain(), "_ 1 2 3");
}

TEST(VersionHints, ASessionOrdersWhatItSees) {
  const Hinted hinted("a: [w(x,1)]  b: [w(x,2)]  c: [r(x,2)] [r(x,1)]", kSequential);
  EXPECT_TRUE(hinted.complete());
  EXPECT_EQ(hinted.chain(), "_ 2 1");
}

TEST(VersionHints, UnrelatedSessionsLeaveTheOrderOpen) {
  const Hinted hinted("a: [w(x,1)] [w(x,2)]  b: [w(x,3)]", kSequential);
  EXPECT_FALSE(hinted.complete());
  ASSERT_EQ(hinted.relations.hinted.size(), 1u);
  const HintedVersions& hint = hinted.relations.hinted[0];
  EXPECT_EQ(hinted.relations.later_writers(hint.earlier).size(), 1u);
  EXPECT_EQ(hinted.relations.later_writers(hint.earlier)[0], TransactionId{1});
}

TEST(VersionHints, RealTimeOrdersTransactionsThatDoNotOverlap) {
  const Hinted hinted("a: [w(x,1)]@0..5  b: [w(x,2)]@6..9  c: [w(x,3)]@20..30", kLinearizable);
  EXPECT_TRUE(hinted.complete());
  EXPECT_EQ(hinted.chain(), "_ 1 2 3");
  EXPECT_FALSE(Hinted("a: [w(x,1)]@0..6  b: [w(x,2)]@6..9", kLinearizable).complete()) << "equal times";
}

TEST(VersionHints, AReaderBetweenTwoWritersOrdersThem) {
  const Hinted hinted("a: [w(x,1)]@0..9  b: [w(x,2)]@1..20  c: [r(x,1)]@10..11  d: [r(x,2)]@21..22",
                      kLinearizable);
  EXPECT_TRUE(hinted.complete());
  EXPECT_EQ(hinted.chain(), "_ 1 2");
}

TEST(VersionHints, AnIndeterminateWriterThatWasSeenCountsButNeverEnds) {
  const Hinted hinted("a: [w(x,1)]?@0..5  b: [w(x,2)]@6..9  c: [r(x,1)]@20..30", kLinearizable);
  EXPECT_EQ(hinted.chain(), "_ 2 1") << "the read at 20 came after the write that ended at 9";
}

TEST(VersionHints, VersionNumbersAndCommitTimestampsOrder) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.values().text("x"));
  for (std::int64_t i = 0; i < 4; ++i) {
    const TransactionId t = builder.begin_transaction(builder.session(Value::integer(i)), Value::integer(i));
    Operation write;
    write.kind = OperationKind::Write;
    write.key = x;
    write.value = Value::integer(i);
    write.version = 100 - i;
    builder.add(t, write);
    TransactionHints hints;
    hints.commit_timestamp = 10 * ((i + 2) % 4);
    builder.set_hints(t, hints);
  }
  builder.set_initial_value(Value::integer(-1));
  const History history = std::move(builder).freeze();
  Budget budget = Budget::unlimited();
  const auto contradictions_with = [&](Assumptions assumptions, const char* chain) {
    Relations relations = infer_relations(history, budget);
    add_version_hints(history, {assumptions, {}}, relations, budget);
    EXPECT_TRUE(relations.order_is_complete());
    std::string values;
    for (TransactionId t = relations.read_write_sets.versions[0].overwriter; !t.is_none();
         t = relations.read_write_sets.versions[relations.read_write_sets.of(t)[0].written.index].overwriter)
      values += std::to_string(t.index);
    EXPECT_EQ(values, chain);
    return relations.contradictions.size();
  };
  EXPECT_EQ(contradictions_with({OrderBasis::Versions}, "3210"), 0u);
  EXPECT_EQ(contradictions_with({OrderBasis::CommitOrder}, "2301"), 0u);
  EXPECT_EQ(contradictions_with({OrderBasis::Versions, OrderBasis::CommitOrder}, "3210"), 1u)
      << "the first source stays, the second gives way";
}

TEST(VersionHints, ATransactionOrderCanBeGiven) {
  const Hinted hinted("a: [w(x,1)]  b: [w(x,2)]", {OrderBasis::CommitOrder}, {7, 3});
  EXPECT_EQ(hinted.chain(), "_ 2 1");
}

TEST(VersionHints, AContradictionNamesItsSourcesAndIsNotUsed) {
  const Hinted hinted("a: [w(x,1)] [r(x,2)] [r(x,1)]  b: [w(x,2)]", kSequential);
  EXPECT_EQ(hinted.contradictions(),
            (std::vector<std::string>{"x sequential-keys: 1<2 sequential-keys 2<1 sequential-keys"}));
  EXPECT_TRUE(hinted.relations.hinted.empty());
  const Hinted against_reads("a: [r(x,2) w(x,1)]@10..11  b: [w(x,2)]@0..1  c: [r(x,1)]@2..3 [r(x,2)]@12..13",
                             kLinearizable);
  EXPECT_EQ(against_reads.contradictions(),
            (std::vector<std::string>{"x linearizable-keys: 1<2 linearizable-keys 2<1 reads"}));
}

TEST(VersionHints, OtherKeysKeepTheirSource) {
  const Hinted hinted("a: [w(y,1) w(x,1)] [r(x,2)] [r(x,1)] [w(y,2)]  b: [w(x,2)]", kSequential);
  EXPECT_EQ(hinted.contradictions().size(), 1u);
  EXPECT_EQ(hinted.chain(), "_ 1 2") << "of y";
}

TEST(VersionHints, NamesAreFoundInElleSpelling) {
  EXPECT_EQ(find_assumption("linearizable-keys?"), OrderBasis::LinearizableKeys);
  EXPECT_EQ(find_assumption("sequential_keys"), OrderBasis::SequentialKeys);
  EXPECT_EQ(find_assumption("transaction-order"), OrderBasis::CommitOrder);
  EXPECT_EQ(find_assumption("reads"), std::nullopt);
}

}  // namespace
}  // namespace serval
