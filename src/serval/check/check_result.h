#pragma once
// A verdict, and how it was obtained.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/check/trail.h"
#include "serval/evidence/verdict.h"
#include "serval/levels/level.h"

namespace serval {

using Phases = std::vector<std::pair<std::string_view, double>>;  // Name and seconds, in order.

struct CheckResult {
  Level level;  // As requested.
  Verdict verdict;
  // "mini-transaction", "list-append", "dependency-graph", "polygraph", "replay", "read-anomalies", ...
  std::string_view engine;
  bool complete = false;  // The answer is final for this history (not Undecided).
  Phases phases;
  std::vector<Attempt> attempts = {};  // Of the search for an order, if there was one.
  bool replayed = false;               // The expected order was replayed, and decided the level.
  // Whether the reads alone allow some order of the transactions.
  struct OtherOrders {
    enum class Answer { SomeOrderExists, NoOrderExists, NotKnown } answer;
    std::string reason;  // For NotKnown.
  };
  std::optional<OtherOrders> without_certificate = {};     // For a violation by the version certificate.
  std::optional<OtherOrders> without_expected_order = {};  // For one by a required order.
  // Why the reads alone were used, although there is a version certificate.
  std::string unused_certificate = {};
  // Why a required order does not prove the level, which does not require a serial order.
  std::string failed_order = {};
  // For a proof by the version certificate: some transaction read or replaced a version that is not
  // visible to the snapshot claimed by the certificate. This matters to snapshot isolation, but not to
  // serializability.
  bool snapshots_contradicted = false;
};

}  // namespace serval
