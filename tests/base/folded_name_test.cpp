#include "serval/base/folded_name.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

TEST(FoldedName, IgnoresCaseAndSeparators) {
  EXPECT_EQ(folded_name("Snapshot_Isolation"), folded_name("snapshot isolation"));
  EXPECT_EQ(folded_name("PL-2.99"), "pl2.99");
  EXPECT_EQ(folded_name(" -_"), "");
}

}  // namespace
}  // namespace serval
