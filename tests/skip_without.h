#pragma once
// Skips a test that needs something this machine lacks: a server, a client library, the histories of other
// checkers. Where SERVAL_TEST_REQUIRE_ALL names the dependency, the test fails instead.
//
//   if (server.absent()) SKIP_WITHOUT("postgres", server.problem());
//   SKIP_WITHOUT_CORPORA();   // The histories of other checkers, in SERVAL_DATA_DIR.
//
//   SERVAL_TEST_REQUIRE_ALL=1               everything that scripts/install-dependencies installs
//   SERVAL_TEST_REQUIRE_ALL=postgres,etcd   these alone
//   SERVAL_TEST_REQUIRE_ALL=1,corpora       also the histories, which are not part of the repository
//
// main() prints how many tests were skipped, per dependency. tests/cli/skip_without.py is its twin.

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace serval {

constexpr std::string_view kCorpora = "corpora";

inline bool is_listed(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = list.find(',');
    if (list.substr(0, end) == word) return true;
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
  return false;
}

inline bool is_required(std::string_view dependency, std::string_view required) {
  return is_listed(required, dependency) || (dependency != kCorpora && is_listed(required, "1"));
}

inline bool is_required(std::string_view dependency) {
  const char* const required = std::getenv("SERVAL_TEST_REQUIRE_ALL");
  return required != nullptr && is_required(dependency, required);
}

// Number of skipped tests per dependency.
inline std::map<std::string, int>& skipped_tests() {
  static std::map<std::string, int> counts;
  return counts;
}

// "not tested: 3 without corpora, 1 without etcd"; empty if nothing was skipped.
inline std::string skipped_summary() {
  std::string out;
  for (const auto& [dependency, count] : skipped_tests())
    out += (out.empty() ? "not tested: " : ", ") + std::to_string(count) + " without " + dependency;
  return out;
}

}  // namespace serval

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): it returns from the test.
#define SKIP_WITHOUT(dependency, problem)                                                            \
  do {                                                                                               \
    if (::serval::is_required(dependency))                                                           \
      GTEST_FAIL() << "SERVAL_TEST_REQUIRE_ALL requires " << (dependency) << ", but: " << (problem); \
    ++::serval::skipped_tests()[std::string(dependency)];                                            \
    GTEST_SKIP() << (problem);                                                                       \
  } while (false)

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define SKIP_WITHOUT_CORPORA()                                                                \
  do {                                                                                        \
    if (!std::filesystem::exists(SERVAL_DATA_DIR))                                            \
      SKIP_WITHOUT(::serval::kCorpora, "no histories of other checkers at " SERVAL_DATA_DIR); \
  } while (false)
