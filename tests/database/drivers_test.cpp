// If a driver was not built, its tests do not even exist. This test makes sure that somebody notices.

#include <gtest/gtest.h>

#include "serval/database/database.h"
#include "skip_without.h"

namespace serval {
namespace {

class EveryDriver : public testing::TestWithParam<std::string> {};

TEST_P(EveryDriver, IsBuilt) {
  const DriverInfo& driver = driver_of(GetParam() + ":");
  EXPECT_EQ(driver.name, GetParam());
  if (driver.open == nullptr)
    SKIP_WITHOUT(GetParam(), "built without the package " + std::string(driver.package));
}

std::vector<std::string> driver_names() {
  std::vector<std::string> out;
  for (const DriverInfo& driver : all_drivers()) out.emplace_back(driver.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Of, EveryDriver, testing::ValuesIn(driver_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace serval
