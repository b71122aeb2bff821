// The certificate engine against its referee, which applies the definitions to every pair of a predicate and a
// version: random histories with predicates, each level, each verdict re-proved. SERVAL_RANDOM_HISTORIES sets
// how many, SERVAL_RANDOM_SEED where they start.

#include <array>
#include <cstdlib>

#include <gtest/gtest.h>

#include "oracle/certified_reference.h"
#include "oracle/random_certified_history.h"
#include "serval/check/check.h"
#include "serval/check/verify_witness.h"
#include "serval/formats/native_jsonl.h"

namespace serval {
namespace {

constexpr std::array kLevels{Level::ReadUncommitted,
                             Level::ReadCommitted,
                             Level::RepeatableRead,
                             Level::SnapshotIsolation,
                             Level::StrongSessionSnapshotIsolation,
                             Level::Serializable,
                             Level::StrongSessionSerializable};

std::string text_of(const History& history) {
  std::string out;
  write_jsonl(
      history, [&](std::string_view text) { out += text; }, [](const std::string&) {});
  return out;
}

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Tally {
  std::array<std::uint64_t, kLevels.size()> held{}, refused{};
  std::uint64_t explained_otherwise = 0;
};

void compare(const History& history, Tally& tally) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    const Level level = kLevels[i];
    const CheckResult result = check(history, level, {.engine = Engine::Certificate});
    ASSERT_FALSE(undecided(result.verdict)) << std::get<Undecided>(result.verdict).reason << "\n"
                                            << text_of(history);
    ASSERT_EQ(holds(result.verdict), oracle::holds_by_certificate(history, level)) << name_of(level) << "\n"
                                                                                   << text_of(history);
    ASSERT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level) << "\n"
                                                                            << text_of(history);
    ++(holds(result.verdict) ? tally.held : tally.refused)[i];
    if (!implies(level, Level::Serializable)) continue;
    const bool exists = oracle::some_serial_order_exists(history, uses_session_order(level));
    if (holds(result.verdict)) {
      ASSERT_TRUE(exists) << text_of(history);
    } else {
      using Answer = CheckResult::WithoutCertificate::Answer;
      ASSERT_TRUE(result.without_certificate);
      if (result.without_certificate->answer == Answer::SomeOrderExists) {
        ASSERT_TRUE(exists) << text_of(history);
        ++tally.explained_otherwise;
      }
      if (result.without_certificate->answer == Answer::NoOrderExists) {
        ASSERT_FALSE(exists) << text_of(history);
      }
    }
  }
}

TEST(CertificateOracle, AgreesOnRandomHistories) {
  const std::uint64_t count = number_from_environment("SERVAL_RANDOM_HISTORIES", 50'000);
  const std::uint64_t first = number_from_environment("SERVAL_RANDOM_SEED", 1);
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count && !HasFatalFailure(); ++seed) {
    Random random(seed);
    const History history = oracle::random_certified_history(random, 2 + random.below(4));
    SCOPED_TRACE(seed);
    compare(history, tally);
  }
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    EXPECT_GT(tally.held[i], count / 50) << name_of(kLevels[i]);
    if (kLevels[i] == Level::ReadUncommitted) continue;
    EXPECT_GT(tally.refused[i], count / 50) << name_of(kLevels[i]);
  }
}

// What is refuted although some version sets are missing is refuted with them; what is proven has an order.
TEST(CertificateOracle, ClaimsNothingThatMissingVersionSetsLeaveOpen) {
  const std::uint64_t count = number_from_environment("SERVAL_RANDOM_HISTORIES", 50'000) / 5;
  std::uint64_t held = 0, refused = 0, open = 0;
  for (std::uint64_t seed = 1; seed <= count && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed), again(seed);
    const std::size_t size = 2 + random.below(4);
    (void)again.below(4);
    const History whole = oracle::random_certified_history(random, size);
    const History partial = oracle::random_certified_history(again, size, true);
    for (const Level level : kLevels) {
      const CheckResult result = check(partial, level);
      ASSERT_EQ(verify_witness(partial, level, result.verdict), std::nullopt) << name_of(level) << "\n"
                                                                              << text_of(partial);
      if (violated(result.verdict)) {
        ASSERT_FALSE(oracle::holds_by_certificate(whole, level)) << name_of(level) << "\n"
                                                                 << text_of(partial);
        ++refused;
      } else if (holds(result.verdict) && implies(level, Level::Serializable)) {
        ASSERT_TRUE(oracle::some_serial_order_exists(whole, uses_session_order(level))) << text_of(partial);
        ++held;
      } else {
        ++open;
      }
    }
  }
  EXPECT_GT(held, count / 20);
  EXPECT_GT(refused, count / 20);
  EXPECT_GT(open, count / 20);
}

}  // namespace
}  // namespace serval
