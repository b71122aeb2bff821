#include <gtest/gtest.h>

#include "model/model_verdicts.h"
#include "serval/model/model.h"

// The models that judge reads individually: small histories that each model accepts and rejects.

namespace serval {
namespace {

// A read by process 0 that returns `value`.
std::string read(const std::string& value) { return "invoke 0 read nil; ok 0 read " + value + ";"; }
std::string add(const std::string& value) { return "invoke 1 add " + value + "; ok 1 add " + value + ";"; }
std::string write(const std::string& value) {
  return "invoke 1 write " + value + "; ok 1 write " + value + ";";
}

TEST(Bank, AcceptsReadsThatKeepTheTotal) {
  EXPECT_EQ(verdict(Model::Bank, read("{0 10, 1 0}") + read("{0 4, 1 6}")), "valid");
}
TEST(Bank, RejectsAReadWithAnotherTotal) {
  EXPECT_EQ(verdict(Model::Bank, read("{0 10, 1 0}") + read("{0 4, 1 5}")), "wrong-total 1");
}
TEST(Bank, UsesTheGivenTotal) {
  EXPECT_EQ(verdict(Model::Bank, read("{0 10}"), {.total_amount = 11}), "wrong-total 1");
}
TEST(Bank, RejectsAnAccountThatTheFirstReadDidNotHave) {
  EXPECT_EQ(verdict(Model::Bank, read("{0 10}") + read("{0 10, 7 0}")), "unexpected-key 1");
}
TEST(Bank, RejectsAnAccountWithoutABalance) {
  EXPECT_EQ(verdict(Model::Bank, read("{0 10, 1 0}") + read("{0 10, 1 nil}")), "nil-balance 1");
}
TEST(Bank, RejectsNegativeBalancesUnlessAllowed) {
  const std::string reads = read("{0 10, 1 0}") + read("{0 11, 1 -1}");
  EXPECT_EQ(verdict(Model::Bank, reads), "negative-value 1");
  EXPECT_EQ(verdict(Model::Bank, reads, {.negative_balances = NegativeBalances::Allowed}), "valid");
}
TEST(Bank, LearnsFromTheReadThatEndsFirst) {
  EXPECT_EQ(verdict(Model::Bank, "invoke 0 read nil; invoke 1 read nil; ok 1 read {0 5}; ok 0 read {0 6}"),
            "wrong-total 1");
}
TEST(Bank, RefusesBalancesThatAreNotNumbers) {
  EXPECT_THROW(judge(Model::Bank, read("{0 :much}")), InputError);
  EXPECT_THROW(judge(Model::Bank, read("17")), InputError);
}

TEST(Counter, AcceptsReadsBetweenTheBounds) {
  EXPECT_EQ(verdict(Model::Counter, add("1") + "invoke 2 add 2;" + read("1") + read("3")), "valid");
}
TEST(Counter, RejectsAReadBelowTheLowerBound) {
  EXPECT_EQ(verdict(Model::Counter, add("1") + add("1") + read("1")), "out-of-bounds 1");
}
TEST(Counter, RejectsAReadAboveTheUpperBound) {
  EXPECT_EQ(verdict(Model::Counter, add("1") + read("2") + add("1")), "out-of-bounds 1");
}
TEST(Counter, IgnoresFailedAdditions) {
  EXPECT_EQ(verdict(Model::Counter, "invoke 1 add 5; fail 1 add 5;" + read("5")), "out-of-bounds 1");
}
TEST(Counter, PossibleSubtractionsLowerTheLowerBound) {
  EXPECT_EQ(verdict(Model::Counter, add("5") + "invoke 2 add -2;" + read("3") + read("5")), "valid");
  EXPECT_EQ(verdict(Model::Counter, add("5") + add("-2") + read("5")), "out-of-bounds 1");
}
TEST(Counter, RefusesAmountsThatAreNotNumbers) {
  EXPECT_THROW(judge(Model::Counter, add("[1]") + read("1")), InputError);
}

TEST(Set, AcceptsALastReadOfEverythingAdded) {
  EXPECT_EQ(verdict(Model::Set, add("1") + add("[2 3]") + read("#{1 [2 3]}")), "valid");
}
TEST(Set, OnlyTheLastReadCounts) {
  EXPECT_EQ(verdict(Model::Set, add("1") + read("[]") + read("[1]")), "valid");
}
TEST(Set, RejectsALostElement) {
  EXPECT_EQ(verdict(Model::Set, add("1") + add("2") + read("[2]")), "lost 1");
}
TEST(Set, RejectsAnElementThatNobodyAdded) {
  EXPECT_EQ(verdict(Model::Set, add("1") + read("[1 9]")), "unexpected 1");
}
TEST(Set, RejectsAnElementWhoseAdditionFailed) {
  EXPECT_EQ(verdict(Model::Set, "invoke 1 add 1; fail 1 add 1;" + read("[1]")), "failed-add 1");
}
TEST(Set, AnAdditionThatEndsAfterTheReadBeganMayBeMissing) {
  EXPECT_EQ(verdict(Model::Set, "invoke 1 add 1; invoke 0 read nil; ok 1 add 1; ok 0 read []"), "valid");
}
TEST(Set, ALostAdditionMayBeSeenOrNot) {
  EXPECT_EQ(verdict(Model::Set, "invoke 1 add 1; info 1 add 1; invoke 2 add 2;" + read("[2]")), "valid");
}

TEST(SetFull, AcceptsElementsThatStay) {
  EXPECT_EQ(verdict(Model::SetFull, add("1") + read("[1]")), "valid");
}
TEST(SetFull, RejectsAnElementThatIsNeverSeenAgain) {
  EXPECT_EQ(verdict(Model::SetFull, add("1") + add("2") + read("[1 2]") + read("[2]")), "lost 1");
}
TEST(SetFull, AStaleReadIsAViolationOnlyOnRequest) {
  const std::string late = add("1") + read("[]") + read("[1]");
  EXPECT_EQ(verdict(Model::SetFull, late), "valid");
  EXPECT_EQ(verdict(Model::SetFull, late, {.stale_reads = StaleReads::Forbidden}), "stale 1");
}
TEST(SetFull, AnElementThatWasReadIsKnownEvenIfItsAdditionWasLost) {
  EXPECT_EQ(verdict(Model::SetFull, add("2") + "invoke 1 add 1; info 1 add 1;" + read("[1 2]") + read("[2]")),
            "lost 1");
}
TEST(SetFull, ALostAdditionThatWasNeverReadIsNotMissed) {
  EXPECT_EQ(verdict(Model::SetFull, add("2") + "invoke 1 add 1; info 1 add 1;" + read("[2]")), "valid");
}
TEST(SetFull, IsUnknownIfNoElementStayed) {
  EXPECT_EQ(verdict(Model::SetFull, "invoke 1 add 1;" + read("[]")), "unknown");
}
TEST(SetFull, RejectsAnElementReadTwice) {
  EXPECT_EQ(verdict(Model::SetFull, add("1") + read("[1 1]")), "duplicate 1");
}
TEST(SetFull, AReadThatOverlapsTheAdditionMayMissIt) {
  EXPECT_EQ(
      verdict(Model::SetFull, "invoke 1 add 1; invoke 0 read nil; ok 1 add 1; ok 0 read [];" + read("[1]")),
      "valid");
}

TEST(LongFork, AcceptsReadsThatIncludeEachOther) {
  EXPECT_EQ(verdict(Model::LongFork, read("[[:r 0 1] [:r 1 nil]]") + read("[[:r 1 1] [:r 0 1]]")), "valid");
}
TEST(LongFork, RejectsReadsThatEachLackTheOthersWrite) {
  const std::string fork =
      read("[[:r 0 1] [:r 1 nil] [:r 2 nil]]") + read("[[:r 0 nil] [:r 1 1] [:r 2 nil]]");
  EXPECT_EQ(verdict(Model::LongFork, fork), "long-fork 1");
  EXPECT_EQ(verdict(Model::LongFork, fork, {.group_size = 3}), "long-fork 1");
  EXPECT_THROW(judge(Model::LongFork, fork, {.group_size = 2}), InputError);
}
TEST(LongFork, IsUnknownIfAKeyIsWrittenTwice) {
  EXPECT_EQ(
      verdict(Model::LongFork, "invoke 1 txn [[:w 0 1]]; invoke 2 txn [[:w 0 2]];" + read("[[:r 0 1]]")),
      "unknown");
}

TEST(Monotonic, AcceptsValuesThatGrowTogether) {
  EXPECT_EQ(verdict(Model::Monotonic, read("{:x 1, :y 1}") + read("{:x 2, :y 1}") + read("{:y 3}")), "valid");
}
TEST(Monotonic, RejectsReadsThatAreEachLaterThanTheOther) {
  EXPECT_EQ(verdict(Model::Monotonic, read("{:x 1, :y 2}") + read("{:x 2, :y 1}")), "non-monotonic 1");
}
TEST(Monotonic, FindsACycleOfThreeReads) {
  const ModelResult result =
      judge(Model::Monotonic, read("{:x 1, :z 2}") + read("{:x 2, :y 1}") + read("{:y 2, :z 1}"));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].operations.size(), 3u);
}
TEST(Monotonic, RefusesValuesThatAreNotNumbers) {
  EXPECT_THROW(judge(Model::Monotonic, read("{:x :y}")), InputError);
}

TEST(Comments, AcceptsAReadOfAPrefix) {
  EXPECT_EQ(verdict(Model::Comments, write("1") + read("#{1}") + write("2") + read("#{1 2}")), "valid");
}
TEST(Comments, RejectsACommentWithoutTheOneBeforeIt) {
  EXPECT_EQ(verdict(Model::Comments, "invoke 0 read nil;" + write("1") + write("2") + "ok 0 read #{2}"),
            "missing-predecessor 1");
}
TEST(Comments, RejectsAReadWithoutACommentThatExistedWhenItBegan) {
  EXPECT_EQ(verdict(Model::Comments, write("1") + read("#{}")), "stale-read 1");
}
TEST(Comments, RejectsACommentWhoseWriteFailed) {
  EXPECT_EQ(verdict(Model::Comments, "invoke 1 write 1; fail 1 write 1;" + read("#{1}")), "failed-write 1");
}
TEST(Comments, IgnoresCommentsOlderThanTheRecording) {
  EXPECT_EQ(verdict(Model::Comments, write("1") + read("#{1 77}")), "valid");
}

TEST(Sequential, AcceptsReadsWithoutGaps) {
  EXPECT_EQ(verdict(Model::Sequential, read("[5 [nil \"5_0\"]]") + read("[5 [\"5_1\" \"5_0\"]]")), "valid");
}
TEST(Sequential, RejectsALaterPartWithoutAnEarlierOne) {
  EXPECT_EQ(verdict(Model::Sequential, read("[5 [\"5_1\" nil]]")), "missing-predecessor 1");
}
TEST(Sequential, RefusesAReadWithoutAKey) { EXPECT_THROW(judge(Model::Sequential, read("[1]")), InputError); }

TEST(ModelsOfReads, AreUnknownWithoutASuccessfulRead) {
  for (const Model model : {Model::Bank, Model::Counter, Model::Set, Model::SetFull, Model::LongFork,
                            Model::Monotonic, Model::Comments, Model::Sequential}) {
    SCOPED_TRACE(info(model).name);
    EXPECT_EQ(verdict(model, ""), "unknown");
    EXPECT_EQ(verdict(model, "invoke 0 read []; fail 0 read []"), "unknown");
    EXPECT_EQ(verdict(model, "invoke 0 read []; info 0 read :timeout"), "unknown");
  }
}

TEST(ModelTable, RefusesOperationsOfAnotherModelAndNamesTheMatchingOne) {
  try {
    judge(Model::Bank, "invoke 0 acquire nil; ok 0 acquire nil");
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().line, 1u);
    EXPECT_NE(error.problem().find("bank"), std::string::npos);
    EXPECT_NE(error.hint().find("--model mutex"), std::string::npos);
  }
}
TEST(ModelTable, FindsEveryRowByItsName) {
  for (const ModelInfo& row : all_models()) {
    EXPECT_EQ(model_named(row.name), row.model);
    EXPECT_EQ(&info(row.model), &row);
  }
  EXPECT_EQ(model_named("Set_Full"), Model::SetFull);
  EXPECT_EQ(model_named("queue"), std::nullopt);
}

TEST(SuggestModel, DependsOnFunctionsAndAnswers) {
  const auto first = [](const std::string& lines) {
    const std::vector<Model> fitting = fitting_models(client_history(edn_of(lines)));
    return fitting.empty() ? "none" : std::string(info(fitting.front()).name);
  };
  EXPECT_EQ(first("invoke 0 transfer {:from 1}"), "bank");
  EXPECT_EQ(first(add("1") + read("1")), "counter");
  EXPECT_EQ(first(add("1") + read("[1]")), "set");
  EXPECT_EQ(first(add("1") + read("[]") + read("[1]")), "set-full");
  EXPECT_EQ(first(read("[[:r 0 1]]")), "long-fork");
  EXPECT_EQ(first(write("1") + read("#{1}")), "comments");
  EXPECT_EQ(first(write("1") + read("[1 [\"a\" nil]]")), "sequential");
  EXPECT_EQ(first("invoke 0 cas [1 2]"), "cas-register");
  EXPECT_EQ(first("invoke 0 acquire nil"), "mutex");
  EXPECT_EQ(first("invoke 0 txn [[:read :x nil]]"), "multi-register");
  EXPECT_EQ(first("invoke 0 put \"a\""), "kv");
  EXPECT_EQ(first("invoke 0 enqueue 1"), "none");
  EXPECT_EQ(first(""), "none");
}

TEST(ClientHistory, RefusesAProcessThatBeginsTwoOperations) {
  EXPECT_THROW(client_history(edn_of("invoke 0 read nil; invoke 0 read nil")), InputError);
}
TEST(ClientHistory, AllowsAProcessToContinueAfterALoss) {
  EXPECT_EQ(
      client_history(edn_of("invoke 0 read nil; info 0 read nil; invoke 0 read nil")).operations().size(),
      2u);
}
TEST(ClientHistory, IgnoresTheNemesis) {
  EXPECT_EQ(client_history(edn_of("info :nemesis kill nil; invoke 0 read nil")).operations().size(), 1u);
}
TEST(ClientHistory, PairsByFunctionAndValueWithoutProcesses) {
  const ClientHistory history = client_history(
      "{:type :invoke :f :read}{:type :invoke :f :write :value 1}{:type :ok :f :write :value 1}{:type :ok :f "
      ":read :value "
      "[1]}");
  ASSERT_EQ(history.operations().size(), 2u);
  EXPECT_EQ(history.operations()[0].ended, 3u);
  EXPECT_EQ(history.operations()[1].ended, 2u);
}

}  // namespace
}  // namespace serval
