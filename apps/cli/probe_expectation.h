#pragma once
// A saved matrix of `serval probe --json`, for comparison.

#include <map>
#include <string>
#include <vector>

#include "serval/base/error.h"
#include "serval/database/probe/probe.h"

namespace serval::cli {

// By isolation and anomaly: "prevented", "happens", "blocked", "n/a".
using ProbeExpectation = std::map<std::string, std::map<std::string, std::string>>;

// A malformed file, with the position of the problem.
class ExpectationError : public InputError {
 public:
  using InputError::InputError;
};

// Throws ExpectationError.
ProbeExpectation read_probe_expectation(const std::string& path);

// Chosen: ignores rows of the expectation that were not probed.
enum class Rows { All, Chosen };
// One line each: "serializable G2-item: expected prevented, found happens".
std::vector<std::string> differences_from(const ProbeExpectation& expected,
                                          const std::vector<ProbeRow>& found, Rows rows);

}  // namespace serval::cli
