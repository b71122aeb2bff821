// Compares whole reports with files, so that a review sees every changed word.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "report/reports.h"
#include "serval/report/report.h"
#include "serval/report/text_report.h"

namespace serval {
namespace {

// With SERVAL_WRITE_BASELINES set, writes the files instead, for intended changes.
std::string baseline(const std::string& name, const std::string& actual) {
  const std::string path = std::string(SERVAL_TEST_DIR) + "/report/baselines/" + name;
  if (std::getenv("SERVAL_WRITE_BASELINES") != nullptr) std::ofstream(path) << actual;
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_of(std::string_view history, std::optional<Level> level) {
  const CheckedHistory made = checked(history, level);
  return text_report(report_of(made));
}

void expect_baseline(const std::string& name, const std::string& actual) {
  EXPECT_EQ(actual, baseline(name, actual));
}

TEST(Baseline, Valid) {
  expect_baseline("valid.txt", text_of("s1: [r(x,0) w(x,1)]  s2: [r(x,1)]", Level::Serializable));
}

TEST(Baseline, WriteSkew) { expect_baseline("write_skew.txt", text_of(kWriteSkew, Level::Serializable)); }

TEST(Baseline, WriteSkewAsJson) {
  const CheckedHistory made = checked(kWriteSkew, Level::Serializable);
  expect_baseline("write_skew.json", json_report(report_of(made)) + "\n");
}

TEST(Baseline, LostUpdate) {
  expect_baseline("lost_update.txt", text_of(kLostUpdate, Level::SnapshotIsolation));
}

TEST(Baseline, AbortedRead) {
  expect_baseline("aborted_read.txt", text_of("s1: [r(x,0) w(x,1)]!  s2: [r(x,1)]", Level::Serializable));
}

TEST(Baseline, ReadsThatContradictTheirOwnTransaction) {
  expect_baseline("own_reads.txt",
                  text_of("s1: [r(x,0) r(x,1)] [r(y,0) w(y,3) r(y,1)] [r(z,0) w(z,1) w(z,2) r(z,1)] "
                          "[r(u,5) r(u,5) w(u,5)]  s2: [r(x,0) w(x,1)] [r(y,0) w(y,1)] [r(z,1)] [r(v,9)]",
                          Level::Serializable));
}

TEST(Baseline, LongFork) {
  expect_baseline(
      "long_fork.txt",
      text_of("s1: [r(x,0) w(x,1)]  s2: [r(y,0) w(y,1)]  s3: [r(x,1) r(y,0)]  s4: [r(x,0) r(y,1)]",
              Level::SnapshotIsolation));
}

TEST(Baseline, BrokenChain) {
  expect_baseline("broken_chain.txt", text_of("s1: [i(x,1)]  s2: [i(x,2)]", Level::Linearizable));
}

TEST(Baseline, RealTime) {
  expect_baseline("real_time.txt", text_of("s1: [r(x,0) w(x,1)]@0..5000000  s2: [r(x,0)]@7000000..9000000",
                                           Level::StrictSerializable));
}

TEST(Baseline, Unknown) {
  expect_baseline("unknown.txt", text_of("s1: [w(x,1)]  s2: [w(x,1)]?  s3: [r(x,1)] [r(x,0)]",
                                         Level::StrongSessionSerializable));
}

TEST(Baseline, NoSerialOrder) {
  expect_baseline(
      "no_serial_order.txt",
      text_of("s1: [w(x,1) w(y,1)]  s2: [w(x,2) w(y,2)]  s3: [r(x,1) r(y,2)]", Level::Serializable));
}

TEST(Baseline, Survey) { expect_baseline("survey.txt", text_of(kWriteSkew, std::nullopt)); }

}  // namespace
}  // namespace serval
