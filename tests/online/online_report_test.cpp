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
            "  deduced    1 wr; uncertain 0 (0.00e+00)\n");
}

}  // namespace
}  // namespace serval::online
