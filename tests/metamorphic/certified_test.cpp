// Metamorphic tests of histories with predicates and version certificates, which drafts do not have.

#include <gtest/gtest.h>

#include "history_equality.h"
#include "metamorphic/answers.h"
#include "metamorphic/rebuild.h"
#include "oracle/random_certified_history.h"
#include "sample.h"
#include "serval/formats/format.h"

namespace serval::metamorphic {
namespace {

std::vector<TransactionId> listed(const History& history) {
  std::vector<TransactionId> out;
  for (const TransactionId t : history.transactions()) out.push_back(t);
  return out;
}

// Another interleaving of the sessions.
std::vector<TransactionId> shuffled(const History& history, Random& random) {
  std::vector<std::size_t> next(history.session_count());
  std::vector<TransactionId> out;
  while (out.size() < history.transaction_count()) {
    const SessionId s{static_cast<std::uint32_t>(random.below(history.session_count()))};
    const auto transactions = history.session_transactions(s);
    if (next[s.index] < transactions.size()) out.push_back(transactions[next[s.index]++]);
  }
  return out;
}

History through(const History& history, Format format) {
  ByteStream stream = ByteStream::from_memory("converted", write_to_string(history, format));
  return read_history(stream, {.format = format});
}

class CertifiedHistories : public testing::Test {
 protected:
  template <class Claim>
  static void for_each(Claim claim) {
    const std::uint64_t count = number_from_environment("SERVAL_METAMORPHIC_HISTORIES", sample_of(600));
    for (const std::uint64_t seed : fresh_seeds(count)) {
      Random random(seed);
      const History history = oracle::random_certified_history(random, 2 + random.below(5), seed % 3 == 0);
      SCOPED_TRACE(testing::Message() << "seed " << seed << "\n" << write_to_string(history, Format::Jsonl));
      const Answers answers = answers_of(history);
      ASSERT_EQ(answers.flaw, "");
      claim(history, answers, random);
      if (HasFailure()) return;
    }
  }
};

TEST_F(CertifiedHistories, KeepTheirVerdictsInTheNativeFormats) {
  for_each([](const History& history, const Answers& answers, Random&) {
    for (const Format format : {Format::Jsonl, Format::Binary}) {
      const History again = through(history, format);
      EXPECT_EQ(difference(history, again), "");
      EXPECT_EQ(contradiction(answers, answers_of(again)), "");
    }
  });
}

TEST_F(CertifiedHistories, DoNotDependOnTheOrderOfTheirSessions) {
  for_each([](const History& history, const Answers& answers, Random& random) {
    const Answers others = answers_of(rebuilt(history, shuffled(history, random), Certificates::Keep));
    EXPECT_EQ(others.flaw, "");
    EXPECT_EQ(contradiction(answers, others), "");
  });
}

// More evidence can only refute.
TEST_F(CertifiedHistories, HoldWithoutTheirCertificateWhereTheyHoldWithIt) {
  for_each([](const History& history, const Answers& answers, Random&) {
    const Answers others = answers_of(rebuilt(history, listed(history), Certificates::Drop));
    EXPECT_EQ(others.flaw, "");
    EXPECT_EQ(lost(answers, others), "");
  });
}

TEST_F(CertifiedHistories, AgreeWithTheirSurvey) {
  for_each([](const History& history, const Answers& answers, Random&) {
    const Answers all = surveyed(history);
    EXPECT_EQ(all.flaw, "");
    EXPECT_EQ(contradiction(without_snapshot_levels(answers), without_snapshot_levels(all)), "");
  });
}

}  // namespace
}  // namespace serval::metamorphic
