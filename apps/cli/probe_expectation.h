#pragma once
// A matrix of `serval probe --json` that was saved, to compare with.

#include <map>
#include <string>
#include <vector>

#include "serval/base/error.h"
#include "serval/database/probe/probe.h"

namespace serval::cli {

// By isolation and anomaly: "prevented", "happens", "blocked", "n/a".
using ProbeExpectation = std::map<std::string, std::map<std::string, std::string>>;

// What is wrong with such a file, and where.
class ExpectationError : public InputError {
 public:
  using InputError::InputError;
};

// Throws ExpectationError.
ProbeExpectation read_probe_expectation(const std::string& path);

// Chosen: rows of the expectation that were not probed are none of its business.
enum class Rows { All, Chosen };
// One line each: "serializable G2-item: expected prevented, found happens".
std::vector<std::string> differences_from(const ProbeExpectation& expected,
                                          const std::vector<ProbeRow>& found, Rows rows);

}  // namespace serval::cli
