#include "serval/online/online_report.h"

#include <gtest/gtest.h>

#include "trace_builder.h"

namespace serval::online {
namespace {

TEST(OnlineReport, NamesOnlyTheDependenciesThatOccur) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.read(2, "x", 1, {50, 60}).commit(2, {70, 80});
  EXPECT_EQ(text_of(trace.verify("postgres:read-committed")),
            "  2 operations, 2 committed, 0 aborted, 0 indeterminate\n"
            "  reads      1 checked, 0 without a promise\n"
            "  deduced    1 wr; uncertain 0 (0.00e+00)\n"
            "  overlaps   0 of 1\n");
}

TEST(OnlineReport, NamesTheOverlapsAndThePatternOfTheCertifier) {
  OnlineStatistics counted;
  counted.deduced = {5, 6, 7, 100};
  counted.uncertain = {0, 1, 1, 0};
  counted.overlapping = {2, 1, 3, 0};
  counted.certifier = Certifier::SerializableSnapshot;
  counted.hints = {.consecutive_anti_dependencies = 9, .dangerous_structures = 4};
  EXPECT_EQ(overlap_words(counted), "6 of 20: ww 2 deduced, wr 1 uncertain, rw 2 deduced 1 uncertain");
  EXPECT_EQ(uncertain_share(counted), 0.1) << "sessions do not count";
  EXPECT_EQ(overlapping_share(counted), 0.3);
  EXPECT_EQ(certifier_words(counted), "ssi: 4 dangerous structures, 9 pivots");
  counted.certifier = Certifier::None;
  EXPECT_EQ(certifier_words(counted), "");
}

}  // namespace
}  // namespace serval::online
