#include <algorithm>
#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/model_verdicts.h"
#include "sample.h"
#include "serval/base/random.h"

// Linearizability: small histories that each model accepts and rejects, and random ones compared with a
// reference that tries every order.

namespace serval {
namespace {

TEST(CasRegister, StartsAsNil) {
  EXPECT_EQ(verdict(Model::CasRegister, "invoke 0 read nil; ok 0 read nil"), "valid");
  EXPECT_EQ(verdict(Model::CasRegister, "invoke 0 read nil; ok 0 read 3"), "not-linearizable 1");
  EXPECT_EQ(verdict(Model::CasRegister, "invoke 0 read nil; ok 0 read 3", {.initial = "3"}), "valid");
}
TEST(CasRegister, AnEmptyHistoryIsLinearizable) { EXPECT_EQ(verdict(Model::CasRegister, ""), "valid"); }
TEST(CasRegister, FailuresAloneAreLinearizable) {
  EXPECT_EQ(
      verdict(Model::CasRegister, "invoke 0 cas [1 2]; fail 0 cas [1 2]; invoke 1 write 1; fail 1 write 1"),
      "valid");
}
TEST(CasRegister, AReadMaySeeAnOverlappingWrite) {
  EXPECT_EQ(verdict(Model::CasRegister, "invoke 0 write 1; invoke 1 read nil; ok 1 read 1; ok 0 write 1"),
            "valid");
}
TEST(CasRegister, AReadMayNotGoBack) {
  EXPECT_EQ(
      verdict(
          Model::CasRegister,
          "invoke 0 write 1; invoke 1 read nil; ok 1 read 1; invoke 1 read nil; ok 1 read nil; ok 0 write 1"),
      "not-linearizable 1");
}
TEST(CasRegister, ALostWriteMayTakeEffectLate) {
  EXPECT_EQ(verdict(Model::CasRegister,
                    "invoke 0 write 1; info 0 write :timeout; invoke 1 write 2; ok 1 write 2;"
                    "invoke 1 read nil; ok 1 read 2; invoke 1 read nil; ok 1 read 1"),
            "valid");
}
TEST(CasRegister, ALostWriteTakesEffectAtMostOnce) {
  EXPECT_EQ(verdict(Model::CasRegister,
                    "invoke 0 write 1; info 0 write :timeout;"
                    "invoke 1 read nil; ok 1 read 1; invoke 1 write 2; ok 1 write 2;"
                    "invoke 1 read nil; ok 1 read 1"),
            "not-linearizable 1");
}
TEST(CasRegister, AFailedWriteMustNotBeSeen) {
  EXPECT_EQ(verdict(Model::CasRegister, "invoke 0 write 1; fail 0 write 1; invoke 1 read nil; ok 1 read 1"),
            "not-linearizable 1");
}
TEST(CasRegister, TwoCompareAndSetsCannotBothReplaceOneValue) {
  EXPECT_EQ(verdict(Model::CasRegister,
                    "invoke 0 write 1; ok 0 write 1; invoke 0 cas [1 2]; invoke 1 cas [1 3];"
                    "ok 0 cas [1 2]; ok 1 cas [1 3]"),
            "not-linearizable 1");
}
TEST(CasRegister, AFailedCompareAndSetProvesAnotherValueOnRequest) {
  const std::string lines = "invoke 0 write 1; ok 0 write 1; invoke 0 cas [1 2]; fail 0 cas [1 2]";
  EXPECT_EQ(verdict(Model::CasRegister, lines), "valid");
  EXPECT_EQ(verdict(Model::CasRegister, lines, {.failed_cas = FailedCas::Mismatch}), "not-linearizable 1");
}
TEST(CasRegister, ValuesPrefixedWithKeysAreSeparateRegisters) {
  EXPECT_EQ(verdict(Model::CasRegister,
                    "invoke 0 write [:x 1]; ok 0 write [:x 1]; invoke 0 read [:y nil];"
                    "ok 0 read [:y nil]; invoke 0 cas [:x [1 2]]; ok 0 cas [:x [1 2]]"),
            "valid");
  EXPECT_EQ(verdict(Model::CasRegister,
                    "invoke 0 write [:x 1]; ok 0 write [:x 1]; invoke 0 read [:x nil];"
                    "ok 0 read [:x nil]"),
            "not-linearizable 1");
}
TEST(CasRegister, NamesTheOperationThatDoesNotFitAndThePrefixThatDoes) {
  const ModelResult result = judge(Model::CasRegister,
                                   "invoke 0 write 1; ok 0 write 1; invoke 0 read nil; ok 0 read 9;"
                                   "invoke 0 read nil; ok 0 read 1");
  ASSERT_EQ(result.parts.size(), 1u);
  EXPECT_EQ(result.parts[0].stuck, 1u);
  EXPECT_EQ(result.parts[0].order, std::vector<std::uint32_t>{0});
  EXPECT_NE(result.findings[0].words.find("--initial 9"), std::string::npos);
}
TEST(CasRegister, RefusesACompareAndSetWithoutTwoValues) {
  EXPECT_THROW(judge(Model::CasRegister, "invoke 0 cas 1; ok 0 cas 1"), InputError);
}
TEST(CasRegister, NeedsInvocations) { EXPECT_THROW(judge(Model::CasRegister, "ok 0 read 1"), InputError); }

TEST(Mutex, AcceptsOneHolderAtATime) {
  EXPECT_EQ(verdict(Model::Mutex,
                    "invoke 0 acquire nil; invoke 1 acquire nil; ok 0 acquire nil; invoke 0 release nil;"
                    "ok 1 acquire nil; ok 0 release nil"),
            "valid");
}
TEST(Mutex, RejectsTwoHolders) {
  EXPECT_EQ(
      verdict(Model::Mutex, "invoke 0 acquire nil; ok 0 acquire nil; invoke 1 acquire nil; ok 1 acquire nil"),
      "not-linearizable 1");
}
TEST(Mutex, RejectsTheReleaseOfAFreeLock) {
  EXPECT_EQ(verdict(Model::Mutex, "invoke 0 release nil; ok 0 release nil"), "not-linearizable 1");
}
TEST(Mutex, ALostReleaseMayAllowTheNextHolder) {
  EXPECT_EQ(verdict(Model::Mutex,
                    "invoke 0 acquire nil; ok 0 acquire nil; invoke 0 release nil; info 0 release nil;"
                    "invoke 1 acquire nil; ok 1 acquire nil"),
            "valid");
}

TEST(MultiRegister, TransactionsAreAtomic) {
  EXPECT_EQ(verdict(Model::MultiRegister,
                    "invoke 0 txn [[:write :x 1] [:write :y 1]]; ok 0 txn [[:write :x 1] [:write :y 1]];"
                    "invoke 0 txn [[:read :x nil] [:read :y nil]]; ok 0 txn [[:read :x 1] [:read :y nil]]"),
            "not-linearizable 1");
}
TEST(MultiRegister, TransactionsSeeTheirOwnWrites) {
  EXPECT_EQ(
      verdict(Model::MultiRegister, "invoke 0 txn [[:w :x 1] [:r :x nil]]; ok 0 txn [[:w :x 1] [:r :x 1]]"),
      "valid");
}
TEST(MultiRegister, KeysThatAreNeverUsedTogetherAreJudgedSeparately) {
  const ModelResult result = judge(Model::MultiRegister,
                                   "invoke 0 txn [[:w :x 1]]; ok 0 txn [[:w :x 1]];"
                                   "invoke 0 txn [[:r :y nil]]; ok 0 txn [[:r :y 5]]");
  EXPECT_EQ(result.parts.size(), 2u);
  EXPECT_EQ(verdict(result), "not-linearizable 1");
}
TEST(MultiRegister, AcceptsOnlyReadsAndWrites) {
  EXPECT_THROW(judge(Model::MultiRegister, "invoke 0 txn [[:append :x 1]]; ok 0 txn [[:append :x 1]]"),
               InputError);
  EXPECT_THROW(judge(Model::MultiRegister, "invoke 0 txn 7; ok 0 txn 7"), InputError);
}

std::string kv(const std::string& type, int process, const std::string& f, const std::string& value) {
  return "{:type :" + type + ", :process " + std::to_string(process) + ", :f :" + f +
         ", :key \"k\", :value " + value + "}\n";
}
std::string kv_call(int process, const std::string& f, const std::string& value) {
  return kv("invoke", process, f, f == "get" ? "nil" : value) + kv("ok", process, f, value);
}

TEST(KeyValue, AppendsAndPuts) {
  EXPECT_EQ(verdict(proved(Model::KeyValue,
                           client_history(kv_call(0, "get", "\"\"") + kv_call(0, "append", "\"a\"") +
                                          kv_call(0, "append", "\"b\"") + kv_call(0, "get", "\"ab\"") +
                                          kv_call(0, "put", "\"c\"") + kv_call(0, "get", "\"c\"")))),
            "valid");
}
TEST(KeyValue, RejectsAppendsInTheWrongOrderAndNamesTheGetThatShowsIt) {
  const ModelResult result =
      proved(Model::KeyValue, client_history(kv_call(0, "append", "\"a\"") + kv_call(0, "append", "\"b\"") +
                                             kv_call(1, "put", "\"z\"") + kv_call(0, "get", "\"zab\"")));
  EXPECT_EQ(verdict(result), "not-linearizable 1");
  EXPECT_EQ(result.parts[0].stuck, 3u);
  EXPECT_EQ(result.parts[0].order.size(), 3u);
}
TEST(KeyValue, NeedsKeysAndText) {
  EXPECT_THROW(judge(Model::KeyValue, "invoke 0 put \"a\"; ok 0 put \"a\""), InputError);
  EXPECT_THROW(proved(Model::KeyValue, client_history(kv_call(0, "put", "7"))), InputError);
}

// Random histories: `processes` clients run `size` operations, some of which are lost or fail.
class RandomLines {
 public:
  RandomLines(std::uint64_t seed, int processes)
      : random_(seed), open_(static_cast<std::size_t>(processes)) {}

  template <class Draw>  // {f, argument, result}
  std::string make(int size, const std::string& field, Draw&& draw) {
    std::string out;
    for (int left = size;
         left > 0 || std::ranges::any_of(open_, [](const auto& one) { return !one.empty(); });) {
      const std::size_t p = random_.below(open_.size());
      if (open_[p].empty() && left-- > 0) {
        const std::array<std::string, 3> drawn = draw(random_);
        open_[p] = format(p, drawn[0], drawn[2], field);
        out += "{:type :invoke" + format(p, drawn[0], drawn[1], field);
      } else if (!open_[p].empty()) {
        const std::uint64_t luck = random_.below(10);
        out += (luck == 0 ? "{:type :info" : luck == 1 ? "{:type :fail" : "{:type :ok") + open_[p];
        open_[p].clear();
      }
    }
    return out;
  }

 private:
  static std::string format(std::size_t p, const std::string& f, const std::string& value,
                            const std::string& field) {
    return ", :process " + std::to_string(p) + ", :f :" + f + field + ", :value " + value + "}\n";
  }
  Random random_;
  std::vector<std::string> open_;
};

std::string number(Random& random, std::uint64_t below) { return std::to_string(random.below(below)); }

std::array<std::string, 3> draw_register(Random& random) {
  const std::string value = number(random, 3);
  switch (random.below(3)) {
    case 0:
      return {"read", "nil", random.chance(0.2) ? "nil" : value};
    case 1:
      return {"write", value, value};
    default: {
      const std::string pair = "[" + number(random, 3) + " " + value + "]";
      return {"cas", pair, pair};
    }
  }
}
std::array<std::string, 3> draw_mutex(Random& random) {
  return {random.chance(0.5) ? "acquire" : "release", "nil", "nil"};
}
std::array<std::string, 3> draw_transaction(Random& random) {
  std::string before = "[", after = "[";
  for (const char* key : {":x", ":y"}) {
    if (random.chance(0.3)) continue;
    const std::string value = number(random, 2);
    const bool reads = random.chance(0.5);
    before += std::string("[") + (reads ? ":r " : ":w ") + key + " " + (reads ? "nil" : value) + "]";
    after += std::string("[") + (reads ? ":r " : ":w ") + key + " " + value + "]";
  }
  return {"txn", before + "]", after + "]"};
}
std::array<std::string, 3> draw_text(Random& random) {
  const std::string letter(1, static_cast<char>('a' + random.below(2)));
  const std::uint64_t kind = random.below(5);
  if (kind < 2) return {"append", "\"" + letter + "\"", "\"" + letter + "\""};
  if (kind == 2) return {"put", "\"" + letter + "\"", "\"" + letter + "\""};
  std::string answer;
  for (std::uint64_t left = random.below(3); left > 0; --left)
    answer += static_cast<char>('a' + random.below(2));
  return {"get", "nil", "\"" + answer + "\""};
}

// verify_model runs a plain search for every violation and replays every linearization, so each verdict
// is confirmed independently. Both verdicts must occur.
template <class Draw>
void expect_refereed(Model model, const std::string& field, const ModelOptions& options, Draw&& draw) {
  std::size_t valid = 0, violated = 0;
  for (const std::uint64_t seed : fresh_seeds(1500)) {
    SCOPED_TRACE(seed);
    const int processes = 2 + static_cast<int>(seed % 3), size = 2 + static_cast<int>(seed % 7);
    const std::string text = RandomLines(seed, processes).make(size, field, draw);
    SCOPED_TRACE(text);
    const ModelResult result = proved(model, client_history(text), options);
    (result.verdict == ModelVerdict::Valid ? valid : violated)++;
  }
  EXPECT_GT(valid, 50u);
  EXPECT_GT(violated, 50u);
}

TEST(LinearizableModels, AgreeWithTheReferenceOnRandomHistories) {
  expect_refereed(Model::CasRegister, "", {}, draw_register);
  expect_refereed(Model::CasRegister, "", {.failed_cas = FailedCas::Mismatch}, draw_register);
  expect_refereed(Model::Mutex, "", {}, draw_mutex);
  expect_refereed(Model::MultiRegister, "", {.initial = "0"}, draw_transaction);
  expect_refereed(Model::KeyValue, ", :key \"k\"", {}, draw_text);
}

// Twelve concurrent writes, then a read of none of them: every subset of the writes is a configuration.
TEST(LinearizationSearch, StopsWhenTheBudgetIsExhausted) {
  std::string lines;
  for (const char* type : {"invoke ", "ok "})
    for (int i = 0; i < 12; ++i) lines += type + std::to_string(i) + " write " + std::to_string(i) + ";";
  Budget budget = Budget::until(Budget::Clock::time_point::min());
  const ClientHistory history = client_history(edn_of(lines + "invoke 0 read nil; ok 0 read 99"));
  EXPECT_THROW(check_model(Model::CasRegister, history, {.budget = &budget}), BudgetExhausted);
}

}  // namespace
}  // namespace serval
