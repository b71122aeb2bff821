// The verifier accepts no proof of a false claim. It is given proofs of one history for another that
// differs in one detail, and forged proofs. It must reject every claim that the oracle denies.

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "check/agreement.h"
#include "check/forged_evidence.h"
#include "oracle/certified_reference.h"
#include "oracle/random_certified_history.h"
#include "oracle/random_history.h"
#include "sample.h"
#include "serval/formats/native/native_jsonl.h"
#include "serval/verify/verify_witness.h"

namespace serval::oracle {
namespace {

using Kind = OperationKind;

bool is_of_lists(Kind kind) { return kind == Kind::Append || kind == Kind::ReadList; }

// Changes one thing in a draft: a value, a key, an outcome, a time, a session, or the order of operations.
class Damage {
 public:
  explicit Damage(Random& random) : random_(random) {}

  Draft operator()(Draft draft) {
    Draft::Transaction& t = any_of(draft.transactions);
    switch (random_.below(8)) {
      case 0:
        t.outcome = static_cast<Outcome>(random_.below(3));
        break;
      case 1:
        t.session = any_of(draft.transactions).session;
        break;
      case 2:
        move(random_.chance(0.5) ? t.interval.begin : t.interval.end);
        break;
      case 3:
        if (!t.operations.empty()) std::swap(any_of(t.operations), any_of(t.operations));
        break;
      default:
        if (!t.operations.empty()) change(draft, any_of(t.operations));
    }
    return draft;
  }

 private:
  template <class Item>
  Item& any_of(std::vector<Item>& items) {
    return items[random_.below(items.size())];
  }
  void move(Time& time) {
    if (time != kUnknownBegin && time != kUnknownEnd) time += random_.chance(0.5) ? 3 : -3;
  }
  void change(Draft& draft, Draft::Step& step) {
    std::vector<Draft::Step> alike;  // All steps of the same kind.
    for (const Draft::Transaction& t : draft.transactions)
      for (const Draft::Step& other : t.operations)
        if (is_of_lists(other.kind) == is_of_lists(step.kind)) alike.push_back(other);
    const Draft::Step& other = any_of(alike);
    switch (random_.below(4)) {
      case 0:
        step.key = other.key;
        return;
      case 1:
        step.expected = other.value;
        return;
      default:
        if (step.kind != Kind::ReadList)
          step.value = other.value;
        else if (random_.chance(0.5) && !step.list.empty())
          random_.chance(0.5) ? step.list.pop_back() : std::swap(any_of(step.list), any_of(step.list));
        else if (other.kind == Kind::Append)
          step.list.push_back(other.value);
    }
  }

  Random& random_;
};

// The number of false claims that were tried, by kind of claim.
struct Tally {
  std::uint64_t holds = 0, violated = 0;
};

std::string written_out(const History& history) {
  std::string out;
  write_jsonl(
      history, [&](std::string_view text) { out += text; }, [](const std::string&) {});
  return out;
}

std::string spelled(const Verdict& claim) {
  const auto* found = std::get_if<Violated>(&claim);
  if (found == nullptr) return "holds";
  std::string out = "violated:";
  for (const Anomaly& anomaly : found->anomalies)
    out += " " + std::string(name_of(anomaly.kind)) + " " + std::to_string(anomaly.evidence.index());
  return out;
}

void expect_refusal(const History& history, Level level, const Verdict& claim, Tally& tally) {
  ++(holds(claim) ? tally.holds : tally.violated);
  EXPECT_NE(verify_witness(history, level, claim), std::nullopt)
      << name_of(level) << " is not " << spelled(claim) << "\n"
      << written_out(history);
}

// If elements were appended twice, or values of writes are unknown, it is open which versions the reads
// saw. Version orders alone do not settle that.
bool is_ambiguous(const History& history) {
  std::set<std::pair<KeyId, Value>> appended;
  for (const TransactionId t : history.transactions())
    for (const OperationId op : history.operations(t)) {
      if (history.value(op).is_unknown()) return true;
      if (history.kind(op) == Kind::Append && !appended.emplace(history.key(op), history.value(op)).second)
        return true;
    }
  return false;
}

bool is_session_guarantee(Level level) {
  return level == Level::MonotonicReads || level == Level::MonotonicWrites ||
         level == Level::ReadYourWrites || level == Level::WritesFollowReads || level == Level::Pram;
}

bool is_lie(const Verdict& verdict, bool truth) { return truth ? violated(verdict) : holds(verdict); }

void expect_no_lie_believed(const History& history, Level level, const Verdict& verdict, bool truth,
                            Random& random, Tally& tally) {
  if (!is_lie(verdict, truth)) return;
  expect_refusal(history, level, verdict, tally);
  for (int i = 0; i < 4; ++i) expect_refusal(history, level, forged(verdict, history, random), tally);
}

using Generator = Draft (*)(Random&, int);
class Forgeries : public testing::TestWithParam<std::pair<const char*, Generator>> {};

TEST_P(Forgeries, OfEveryLevelAreRefused) {
  Tally tally;
  for (const std::uint64_t seed : fresh_seeds(sample_of(4'000, 20))) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Draft draft = GetParam().second(random, 4);
    if (draft.transactions.empty()) continue;
    const History history = draft.freeze();
    std::vector<std::pair<Level, Verdict>> proofs;
    for (const Level level : decidable_levels())
      if (is_about(level, history)) proofs.emplace_back(level, check(history, level).verdict);
    for (int i = 0; i < 6; ++i) {
      const History other = (i == 0 ? draft : Damage(random)(draft)).freeze();
      const LevelSet truth = satisfied_levels(other);
      const bool ambiguous = is_ambiguous(other);
      for (const auto& [level, proof] : proofs) {
        const Level claimed = i == 0 ? proofs[random.below(proofs.size())].first : level;
        if (is_about(claimed, other) && !(ambiguous && is_session_guarantee(claimed)))
          expect_no_lie_believed(other, claimed, proof, truth[index_of(claimed)], random, tally);
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(tally.holds, 5u);
  EXPECT_GT(tally.violated, 5u);
}

INSTANTIATE_TEST_SUITE_P(Of, Forgeries,
                         testing::Values(std::pair{"Transactions", &random_transactions},
                                         std::pair{"HostileTransactions", &random_hostile_transactions},
                                         std::pair{"ListTransactions", &random_list_transactions},
                                         std::pair{"LightweightTransactions",
                                                   &random_lightweight_transactions}),
                         [](const auto& test) { return test.param.first; });

// Only violations are forged: an execution proves a level whatever the certificate says.
TEST(Forgeries, OfCertificatesAreRefused) {
  Tally tally;
  for (const std::uint64_t seed : fresh_seeds(sample_of(4'000, 20))) {
    SCOPED_TRACE(seed);
    const auto made = [seed](std::optional<std::size_t> damaged) {
      Random random(seed);
      return random_certified_history(random, 2 + random.below(4), false, damaged);
    };
    const History history = made(std::nullopt);
    Random random(seed);
    for (int i = 0; i < 4; ++i) {
      const History other =
          made(i == 0 ? std::nullopt : std::optional(random.below(history.operation_count() + 2)));
      for (const Level level : kCertifiedLevels) {
        const Verdict proof = check(history, level, {.engine = Engine::Certificate}).verdict;
        const Level claimed = i == 0 ? kCertifiedLevels[random.below(kCertifiedLevels.size())] : level;
        if (violated(proof) && !std::get<Violated>(proof).counts.contains(AnomalyKind::OutsideSnapshot))
          expect_no_lie_believed(other, claimed, proof, holds_by_certificate(other, claimed), random, tally);
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(tally.violated, 5u);
}

}  // namespace
}  // namespace serval::oracle
