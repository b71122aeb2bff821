// Verdicts that must agree with each other, over random histories that are new in every run. There is no
// oracle: two answers of Serval are compared, so histories may contain what no oracle covers.
//
//   SERVAL_METAMORPHIC_HISTORIES=n   how many histories
//   SERVAL_RANDOM_SEED=n             the first seed
//
// A failure prints the smallest draft that still fails.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "metamorphic/answers.h"
#include "metamorphic/changes.h"
#include "metamorphic/ingredients.h"
#include "sample.h"
#include "serval/history/changed_history.h"
#include "serval/history/notation.h"
#include "serval/online/mirror_history.h"

namespace serval::metamorphic {
namespace {

const Spelling kPlain;

// Takes a draft and the seed of its choices, and returns a complaint or "".
using Rule = std::function<std::string(const Draft& draft, std::uint64_t seed)>;

std::string keeps_to(const Change& change, const Draft& draft, std::uint64_t seed) {
  Random random(seed);
  const std::optional<History> changed = change.apply(draft, random);
  if (!changed) return "";
  const History history = freeze(draft, kPlain);
  const Answers before = answers_of(history), after = answers_of(*changed);
  if (!before.flaw.empty()) return before.flaw;
  if (!after.flaw.empty()) return change.name + ": " + after.flaw + "\n" + print_history(*changed);
  const std::string found =
      change.claim == Change::Claim::Same ? contradiction(before, after) : lost(before, after);
  return found.empty() ? "" : change.name + ": " + found + "\n" + print_history(*changed);
}

std::string agrees_with_the_survey(const Draft& draft, std::uint64_t) {
  const History history = freeze(draft, kPlain);
  const Answers one = answers_of(history), all = surveyed(history);
  if (!all.flaw.empty()) return all.flaw;
  const std::string found = contradiction(one, all);
  return found.empty() ? "" : "survey: " + found;
}

std::string agrees_whichever_engine(const Draft& draft, std::uint64_t) {
  const History history = freeze(draft, kPlain);
  const Answers one = answers_of(history);
  for (const Engine engine : {Engine::MiniTransaction, Engine::LightweightTransaction, Engine::Polygraph,
                              Engine::Replay, Engine::Certificate}) {
    const Answers other = answers_of(history, {.engine = engine});
    const std::string name = "engine " + std::to_string(static_cast<int>(engine)) + ": ";
    if (!other.flaw.empty()) return name + other.flaw;
    if (const std::string found = contradiction(one, other); !found.empty()) return name + found;
  }
  return "";
}

// What holds under an assumption holds without it.
std::string assumptions_only_refute(const Draft& draft, std::uint64_t seed) {
  const History history = freeze(draft, kPlain);
  CheckOptions options;
  options.hints.assumptions.add(kAssumableBases[seed % kAssumableBases.size()]);
  const Answers trusting = answers_of(history, options), plain = answers_of(history);
  if (!trusting.flaw.empty()) return "assumed: " + trusting.flaw;
  const std::string found = lost(trusting, plain);
  return found.empty() ? "" : "without the assumption: " + found;
}

// Less is known about the order of transactions, so what holds with a small error holds with a larger one.
std::string larger_clock_errors_only_weaken(const Draft& draft, std::uint64_t seed) {
  const History history = freeze(draft, kPlain);
  if (!history.has_times()) return "";
  Random random(seed);
  const Time small = static_cast<Time>(random.below(4)),
             large = small + 1 + static_cast<Time>(random.below(4));
  const Answers less = answers_of(with_clock_error(history, small));
  const Answers more = answers_of(with_clock_error(history, large));
  if (!more.flaw.empty()) return "widened: " + more.flaw;
  const std::string found = lost(less, more);
  return found.empty() ? "" : fmt::format("clock error {} instead of {}: {}", large, small, found);
}

// Whether the times of each session follow its order: the mirror relies on times, check on the order of
// the file.
bool sessions_keep_their_times(const History& history) {
  for (const SessionId s : history.sessions()) {
    Time last = kUnknownBegin;
    for (const TransactionId t : history.session_transactions(s)) {
      const Interval time = history.interval(t);
      if (time.begin != kUnknownBegin && time.begin < last) return false;
      last = std::max(last, time.end == kUnknownEnd ? time.begin : time.end);
    }
  }
  return true;
}

// The mirror's alarms are certain: each refutes the strong variant of its profile's level.
std::string mirror_raises_no_false_alarm(const Draft& draft, std::uint64_t seed) {
  struct Pair {
    const char* generic;
    Level refuted;
  };
  static constexpr std::array kPairs{Pair{"generic:read-committed", Level::StrongReadCommitted},
                                     Pair{"generic:snapshot-isolation", Level::StrongSnapshotIsolation},
                                     Pair{"generic:serializable", Level::StrictSerializable},
                                     Pair{"generic:strict-serializable", Level::StrictSerializable}};
  const Pair& pair = kPairs[seed % kPairs.size()];
  const History history = freeze(draft, kPlain);
  if (!history.has_times() || !sessions_keep_their_times(history)) return "";
  const Time clock_error = seed % 3 == 0 ? static_cast<Time>(seed % 5) : 0;
  const online::OnlineResult result =
      online::mirror_history(history, *online::find_profile(pair.generic), {}, nullptr, clock_error);
  std::string flaw;
  if (!result.violated() ||
      proved(with_clock_error(history, clock_error), pair.refuted, {}, flaw) != Answer::Holds)
    return flaw;
  return std::string(pair.generic) + ": " + result.violations.front().format();
}

std::string complaint_of(const Rule& rule, const Draft& draft, std::uint64_t seed) {
  try {
    return rule(draft, seed);
  } catch (const std::exception& error) {
    return std::string("thrown: ") + error.what();
  }
}

std::uint64_t most_histories() {
  return number_from_environment("SERVAL_METAMORPHIC_HISTORIES", sample_of(600));
}

void expect_always(const std::string& name, const std::function<Rule(std::uint64_t seed)>& rule_for) {
  int failures = 0;
  for (const std::uint64_t seed : fresh_seeds(most_histories())) {
    Random random(seed);
    const Draft draft = random_draft(random);
    const Rule rule = rule_for(seed);
    const std::string complaint = complaint_of(rule, draft, seed);
    if (complaint.empty()) continue;
    const Draft least =
        shrink(draft, [&](const Draft& candidate) { return !complaint_of(rule, candidate, seed).empty(); });
    ADD_FAILURE() << name << ", seed " << seed << ":\n"
                  << print_history(freeze(least, kPlain)) << complaint_of(rule, least, seed);
    if (++failures == 5) return;
  }
}

TEST(Metamorphic, EquivalentChangesKeepEveryVerdict) {
  expect_always("change", [](std::uint64_t seed) -> Rule {
    // A different change for each history, not always the same few.
    const Change& change = all_changes()[Random(seed).next() % all_changes().size()];
    return [&change](const Draft& draft, std::uint64_t number) { return keeps_to(change, draft, number); };
  });
}

TEST(Metamorphic, TheSurveyAgreesWithEachCheck) {
  expect_always("survey", [](std::uint64_t) -> Rule { return agrees_with_the_survey; });
}

TEST(Metamorphic, EveryApplicableEngineAgrees) {
  expect_always("engines", [](std::uint64_t) -> Rule { return agrees_whichever_engine; });
}

TEST(Metamorphic, AssumptionsOnlyRefute) {
  expect_always("assumptions", [](std::uint64_t) -> Rule { return assumptions_only_refute; });
}

TEST(Metamorphic, LargerClockErrorsOnlyWeaken) {
  expect_always("clock error", [](std::uint64_t) -> Rule { return larger_clock_errors_only_weaken; });
}

TEST(Metamorphic, TheMirrorRaisesNoFalseAlarm) {
  expect_always("mirror", [](std::uint64_t) -> Rule { return mirror_raises_no_false_alarm; });
}

}  // namespace
}  // namespace serval::metamorphic
