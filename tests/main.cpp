// The main function of every test program. Random tests start from a fresh seed in each run. The seed
// is printed; SERVAL_RANDOM_SEED sets it, and with it rapidcheck's seed (RC_PARAMS).

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "skip_without.h"

namespace {

std::string fresh_seed() {
  std::random_device device;
  return std::to_string((std::uint64_t{device()} << 8 | (device() & 0xFFu)) + 1);
}

// Returns the seed.
std::string settle_seed() {
  if (std::getenv("SERVAL_RANDOM_SEED") == nullptr) setenv("SERVAL_RANDOM_SEED", fresh_seed().c_str(), 1);
  const std::string seed = std::getenv("SERVAL_RANDOM_SEED");
  const char* const given = std::getenv("RC_PARAMS");
  const std::string parameters = given == nullptr ? "" : given;
  const auto says = [&](const char* word) { return parameters.find(word) != std::string::npos; };
  if (!says("seed=") && !says("reproduce="))
    setenv("RC_PARAMS", (parameters + (parameters.empty() ? "seed=" : " seed=") + seed).c_str(), 1);
  return seed;
}

}  // namespace

int main(int argument_count, char** arguments) {
  testing::InitGoogleTest(&argument_count, arguments);
  const std::string seed = settle_seed();
  if (!testing::GTEST_FLAG(list_tests)) std::cout << "SERVAL_RANDOM_SEED=" << seed << std::endl;
  const int failed = RUN_ALL_TESTS();
  if (const std::string skipped = serval::skipped_summary(); !skipped.empty())
    std::cout << skipped << std::endl;
  if (failed != 0) std::cout << "to repeat: SERVAL_RANDOM_SEED=" << seed << " " << arguments[0] << std::endl;
  if (failed != 0 || testing::GTEST_FLAG(list_tests)) return failed;
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0) return 0;
  // A misspelled filter would pass forever.
  std::cout << "no test has a name that the filter selects" << std::endl;
  return 1;
}
