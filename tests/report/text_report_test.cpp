#include "serval/report/text_report.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "report/reports.h"
#include "serval/history/history_builder.h"
#include "serval/report/explanation.h"

namespace serval {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string text_of(std::string_view history, std::optional<Level> level, const TextOptions& options = {}) {
  const CheckedHistory made = checked(history, level);
  return text_report(report_of(made), options);
}

TEST(TextReport, TheFirstLineIsVerdictPathLevel) {
  EXPECT_EQ(first_line(text_of("s1: [r(x,0)]", Level::Serializable)), "VALID h.notation serializable");
  EXPECT_EQ(first_line(text_of(kWriteSkew, Level::Serializable)), "VIOLATION h.notation serializable");
  EXPECT_EQ(first_line(text_of("s1: [w(x,1)]  s2: [w(x,1)]?  s3: [r(x,1)] [r(x,0)]",
                               Level::StrongSessionSerializable)),
            "UNKNOWN h.notation strong-session-serializable");
}

RunFindings broken_slots() {
  RunFindings run;
  run.workload = "check-then-insert";
  run.invariant = "no slot is taken twice";
  run.kept_at = {"serializable"};
  run.looks = 31;
  run.broken_in_all = 3;
  run.broken = {"slot 1 is taken 2 times", "slot 2 is taken 2 times", "slot 3 is taken 2 times"};
  run.isolation = "repeatable-read";
  run.promises = "strong-snapshot-isolation";
  return run;
}

TEST(TextReport, ABrokenInvariantIsAViolationThatALevelMayPermit) {
  CheckedHistory made = checked("s1: [r(x,0)]", Level::StrongSnapshotIsolation);
  made.report.run = broken_slots();
  made.report.max_findings = 2;
  const std::string text = text_report(report_of(made));
  EXPECT_EQ(first_line(text), "VIOLATION h.notation invariant");
  EXPECT_NE(
      text.find(
          "  broken     3 times, found in 31 checks\n             slot 1 is taken 2 times\n"
          "             slot 2 is taken 2 times\n             … 1 more\n"
          "  level      strong-snapshot-isolation permits this: only serializable guarantees this invariant\n"
          "             the recording itself satisfies strong-snapshot-isolation\n"),
      std::string::npos)
      << text;
}

TEST(TextReport, TheNextCommandAfterABrokenInvariantShowsTheCause) {
  constexpr std::string_view kNext =
      "  next       serval check h.notation --level serializable    (shows who";
  CheckedHistory made = checked("s1: [r(x,0)]", Level::StrongSnapshotIsolation);
  made.report.run = broken_slots();
  EXPECT_NE(text_report(report_of(made)).find(kNext), std::string::npos) << text_report(report_of(made));
  // The level that keeps the invariant was already checked.
  made = checked("s1: [r(x,0)]", Level::Serializable);
  made.report.run = broken_slots();
  EXPECT_EQ(text_report(report_of(made)).find("  next"), std::string::npos);
}

TEST(TextReport, SaysWhatTheRequestedLevelAndTheIsolationPermitOfABrokenInvariant) {
  EXPECT_EQ(
      permissions(broken_slots(), Level::StrictSerializable),
      (std::vector<std::string>{"strict-serializable forbids this",
                                "the isolation repeatable-read promises strong-snapshot-isolation, which "
                                "permits it"}));
  EXPECT_EQ(permissions(broken_slots(), Level::StrongSnapshotIsolation).size(), 1u);
}

TEST(TextReport, LevelsThatForbidLostUpdatesKeepTheBalancesOfABank) {
  RunFindings run = broken_slots();
  run.kept_at = {"cursor-stability", "parallel-snapshot-isolation"};
  run.promises.clear();
  for (const Level level : {Level::CursorStability, Level::SnapshotIsolation, Level::RepeatableRead,
                            Level::Serializable, Level::ParallelSnapshotIsolation})
    EXPECT_EQ(permissions(run, level),
              std::vector<std::string>{std::string(name_of(level)) + " forbids this"});
  EXPECT_NE(permissions(run, Level::ReadCommitted).front().find("read-committed permits this"),
            std::string::npos);
}

TEST(TextReport, ALostDatabaseIsReportedWithTheVerdict) {
  CheckedHistory made = checked("s1: [r(x,0)]", Level::Serializable);
  made.report.run.emplace();
  made.report.run->loss = "the connections were lost";
  const std::string text = text_report(report_of(made));
  EXPECT_EQ(first_line(text), "VALID h.notation serializable");
  EXPECT_NE(text.find("  lost       the connections were lost"), std::string::npos) << text;
}

TEST(TextReport, WithoutAGateTheFirstLineSaysWhatWasFound) {
  EXPECT_EQ(first_line(text_of(kWriteSkew, std::nullopt)),
            "ANOMALY h.notation strongest=strong-session-snapshot-isolation found=1 write-skew");
  EXPECT_EQ(first_line(text_of("s1: [r(x,0)] [r(x,0)]", std::nullopt)),
            "VALID h.notation strong-session-serializable");
  EXPECT_EQ(first_line(text_of("s1: [r(x,7)]", std::nullopt)).substr(0, 29), "ANOMALY h.notation strongest=");
}

TEST(TextReport, WithoutAGateTheFirstAnomalyIsShown) {
  const std::string text = text_of(kWriteSkew, std::nullopt);
  EXPECT_NE(text.find("so each must precede the other: no serial order exists."), std::string::npos);
}

TEST(TextReport, ALostUpdateNamesTheWriterOfWhatBothRead) {
  const std::string text =
      text_of("s1: [r(x,0) w(x,1)]  s2: [r(x,1) w(x,2)]  s3: [r(x,1) w(x,3)]", Level::SnapshotIsolation);
  EXPECT_NE(text.find("    T1 wrote x = 1, the version that both read\n    so whichever"), std::string::npos)
      << text;
}

TEST(TextReport, AKeyWithoutAValueIsReportedAsSuch) {
  const std::string lost = text_of("s1: [r(x,_) w(x,1)]  s2: [r(x,_) w(x,2)]", Level::SnapshotIsolation);
  EXPECT_NE(lost.find("both found no value at x; T2 then wrote 2\n"), std::string::npos) << lost;
  const std::string skew =
      text_of("s1: [r(x,_) r(y,_) w(x,1)]  s2: [r(x,_) r(y,_) w(y,1)]", Level::Serializable);
  EXPECT_NE(skew.find("both found no value at y; T2 then wrote 1\n"), std::string::npos) << skew;
}

TEST(TextReport, BelowSnapshotIsolationNoOrderSatisfiesTheCycle) {
  EXPECT_NE(text_of("s1: [r(x,0) w(x,1) r(y,1)]  s2: [r(y,0) w(y,1) r(x,1)]", Level::ReadCommitted)
                .find("so each must precede the other: no order of the transactions satisfies both.\n"),
            std::string::npos);
  EXPECT_NE(text_of("s1: [r(x,1)] [w(x,1)]", Level::StrongSessionReadCommitted)
                .find("no order of the transactions that respects the sessions satisfies both.\n"),
            std::string::npos);
}

TEST(TextReport, ABrokenInvariantOfAnUndecidedRecordingSaysThatTheLevelIsUnknown) {
  CheckedHistory made =
      checked("s1: [w(x,1)]  s2: [w(x,1)]?  s3: [r(x,1)] [r(x,0)]", Level::StrongSessionSerializable);
  made.report.run = broken_slots();
  const std::string text = text_report(report_of(made));
  EXPECT_NE(text.find("whether the recording itself satisfies strong-session-serializable is unknown\n"),
            std::string::npos)
      << text;
}

// Two lost updates, which weak levels forbid, and a write skew.
constexpr std::string_view kSeveral =
    "s1: [r(x,0) w(x,1)] [r(a,0) r(b,0) w(a,1)]  s2: [r(x,0) w(x,2)] [r(a,0) r(b,0) w(b,1)]  "
    "s3: [r(y,0) w(y,1)]  s4: [r(y,0) w(y,2)]";

std::vector<std::string> kinds_shown(const Report& report) {
  std::vector<std::string> out;
  for (const ShownAnomaly& shown : shown_anomalies(report)) out.emplace_back(name_of(shown.anomaly->kind));
  return out;
}

TEST(TextReport, ASurveyShowsEveryKindOnceBeforeAnyTwice) {
  const CheckedHistory made = checked(kSeveral, std::nullopt);
  Report report = report_of(made);
  EXPECT_EQ(kinds_shown(report), (std::vector<std::string>{"lost-update", "write-skew", "lost-update"}));
  report.max_findings = 2;
  EXPECT_EQ(kinds_shown(report), (std::vector<std::string>{"lost-update", "write-skew"}));
}

TEST(TextReport, ASurveyShowsTheRequestedNumberOfAnomalies) {
  const auto told = [](const TextOptions& options) {
    const std::string text = text_of(kSeveral, std::nullopt, options);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(" #", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(told({}), 1u);
  EXPECT_EQ(told({.most_of_survey = 2}), 2u);
  EXPECT_EQ(told({.detailed = true}), 3u);
}

TEST(TextReport, TheBestKnownKindsAreNamedFirst) {
  const std::map<AnomalyKind, std::uint64_t> counts{{AnomalyKind::NonMonotonicView, 9},
                                                    {AnomalyKind::FracturedRead, 3},
                                                    {AnomalyKind::LostUpdate, 2},
                                                    {AnomalyKind::DirtyWrite, 1},
                                                    {AnomalyKind::AbortedRead, 1}};
  EXPECT_EQ(format_counts(counts),
            (std::vector<std::string>{"1 aborted-read", "1 dirty-write", "2 lost-update", "3 fractured-read",
                                      "9 non-monotonic-view"}));
}

TEST(TextReport, UndecidedIsNotCalledValid) {
  EXPECT_EQ(
      first_line(text_of("s1: [w(x,1)]  s2: [w(x,1)]?  s3: [r(x,1)] [r(x,0)]", std::nullopt)).substr(0, 18),
      "UNKNOWN h.notation");
}

TEST(TextReport, TheBestKnownOfSeveralStrongestLevelsComesFirst) {
  const std::string text = text_of("s1: [r(x,0) w(x,1)]@0..5  s2: [r(x,0) w(x,2)]@0..5", std::nullopt);
  EXPECT_EQ(first_line(text),
            "ANOMALY h.notation strongest=strong-read-committed,prefix-consistency found=1 lost-update");
}

TEST(TextReport, AGateThatHoldsSaysNothingAboutTheLevelsAbove) {
  EXPECT_EQ(text_of("s1: [r(x,0)]", Level::ReadCommitted).find("strongest"), std::string::npos);
  EXPECT_NE(
      text_of("s1: [r(x,0)]@0..1", Level::StrictSerializable).find("  strongest  strict-serializable\n"),
      std::string::npos);
  EXPECT_NE(text_of(kWriteSkew, Level::Serializable).find("  strongest  strong-session-snapshot-isolation\n"),
            std::string::npos);
}

TEST(TextReport, ADefaultGateSaysWhereItComesFrom) {
  CheckedHistory made = checked("s1: [r(x,0)]", Level::ReadCommitted);
  EXPECT_EQ(text_report(report_of(made)).find("promised"), std::string::npos);
  made.report.gate->origin = Gate::Origin::Promised;
  EXPECT_NE(text_report(report_of(made)).find("  gate       read-committed, promised by"), std::string::npos);
}

TEST(TextReport, RepeatableReadIsExplainedWhereItAppears) {
  EXPECT_NE(text_of(kWriteSkew, std::nullopt).find("repeatable-read is Adya's PL-2.99"), std::string::npos);
  EXPECT_NE(text_of(kWriteSkew, std::nullopt).find("(postgres, cockroachdb"), std::string::npos);
  EXPECT_EQ(text_of("s1: [r(x,0)]", std::nullopt).find("PL-2.99"), std::string::npos);
}

TEST(TextReport, LinesOfLevelsAndCountsFitThePage) {
  CheckedHistory made = checked(kWriteSkew, Level::Serializable);
  Violated& found = std::get<Violated>(made.report.result.verdict);
  for (const AnomalyInfo& row : all_anomalies()) found.counts[row.kind] = 12'345;
  const std::string text = text_report(report_of(made), {.detailed = true});
  std::istringstream lines(text.substr(text.find("  found ")));
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 110 || line.starts_with("  next")) << line;
}

TEST(TextReport, BriefIsOnlyTheFirstLine) {
  EXPECT_EQ(text_of(kWriteSkew, Level::Serializable, {.brief = true}), "VIOLATION h.notation serializable\n");
}

TEST(TextReport, ColourIsOffUnlessRequested) {
  EXPECT_EQ(text_of(kWriteSkew, Level::Serializable).find('\x1b'), std::string::npos);
  EXPECT_NE(text_of(kWriteSkew, Level::Serializable, {.colour = true}).find("\x1b[1;31mVIOLATION"),
            std::string::npos);
}

TEST(TextReport, WithoutAHistoryTheReportStillHasItsFirstLine) {
  Report report;
  report.path = "big.txt";
  report.gate = Gate{Level::Serializable};
  report.result = {.level = Level::Serializable,
                   .verdict = Undecided{Undecided::Cause::TimeBudget, "time budget of 1 s used up", {}},
                   .engine = "",
                   .complete = false,
                   .phases = {}};
  EXPECT_EQ(first_line(text_report(report)), "UNKNOWN big.txt serializable");
  EXPECT_NE(text_report(report).find("--timeout"), std::string::npos);
}

// A ring of n transactions. Each reads what the previous one wrote, and none is overwritten.
Anomaly ring(const History& history) {
  Cycle cycle;
  const auto n = static_cast<std::uint32_t>(history.transaction_count());
  for (std::uint32_t i = 0; i < n; ++i)
    cycle.edges.push_back({TransactionId{i}, TransactionId{(i + 1) % n}, EdgeKind::Session});
  return {AnomalyKind::CyclicInformationFlow, cycle};
}

TEST(TextReport, LongCyclesAreElided) {
  std::string text = "s1:";
  for (int i = 0; i < 50; ++i) text += " [r(x,0)]";
  CheckedHistory made = checked(text, Level::Serializable);
  made.report.result.verdict = Violated{{ring(made.history)}, {{AnomalyKind::CyclicInformationFlow, 1}}};
  const std::string elided = text_report(report_of(made));
  EXPECT_NE(elided.find("… 42 more"), std::string::npos);
  EXPECT_EQ(elided.find("T20 "), std::string::npos);
  EXPECT_NE(text_report(report_of(made), {.detailed = true}).find("T20 "), std::string::npos);
}

TEST(Explanation, SharedLabelsAreDistinguishedByTheirSession) {
  HistoryBuilder builder;
  for (int session = 1; session <= 2; ++session) {
    const SessionId s = builder.session(Value::integer(session));
    builder.add(builder.begin_transaction(s, Value::integer(7)), OperationKind::Read,
                builder.key(Value::integer(1)), Value::integer(0));
  }
  const History history = std::move(builder).freeze();
  const Explanation story = explain(history, Level::Serializable, ring(history));
  EXPECT_EQ(story.participants[0].name, "T7@1");
  EXPECT_EQ(story.participants[1].name, "T7@2");
}

TEST(Explanation, FingerprintDoesNotDependOnWhereTheCycleStarts) {
  const History history = parse_history("s1: [r(x,0)] [r(x,0)] [r(x,0)]");
  Cycle cycle{{{TransactionId{0}, TransactionId{1}, EdgeKind::Session},
               {TransactionId{1}, TransactionId{2}, EdgeKind::RealTime},
               {TransactionId{2}, TransactionId{0}, EdgeKind::Session}}};
  const Anomaly one{AnomalyKind::ReadSkewRealTime, cycle};
  std::ranges::rotate(cycle.edges, cycle.edges.begin() + 1);
  const Anomaly other{AnomalyKind::ReadSkewRealTime, cycle};
  EXPECT_EQ(explain(history, Level::StrictSerializable, one).fingerprint,
            explain(history, Level::StrictSerializable, other).fingerprint);
}

}  // namespace
}  // namespace serval
