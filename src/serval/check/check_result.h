#pragma once
// A verdict, and how it was reached.

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
  Level level;  // As asked.
  Verdict verdict;
  // "mini-transaction", "list-append", "dependency-graph", "polygraph", "replay", "read-anomalies", ...
  std::string_view engine;
  bool complete = false;  // The answer is final for this history (not Undecided).
  Phases phases;
  std::vector<Attempt> attempts = {};  // Of the search for an order, where there was one.
  bool replayed = false;               // The order that was expected was replayed; no other was tried.
  // Of a violation by the version certificate: what the history says without it.
  struct WithoutCertificate {
    enum class Answer { SomeOrderExists, NoOrderExists, NotKnown } answer;
    std::string reason;  // Of NotKnown.
  };
  std::optional<WithoutCertificate> without_certificate = {};
  // Why the reads alone decided, although there is a version certificate.
  std::string unused_certificate = {};
  // Of a proof by the version certificate: some transaction read or replaced what the snapshot that the
  // certificate claims does not show. Serializability does not care, snapshot isolation does.
  bool snapshots_contradicted = false;
};

}  // namespace serval
