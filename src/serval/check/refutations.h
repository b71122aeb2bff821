#pragma once
// What the verdict at one level implies for others.
//
//   const Refutations refutes(history);
//   if (proves(result, Level::Causal)) ...   // it holds at a level that implies causal
//   if (refutes(result, Level::Causal)) ...  // it is violated, or causal forbids an anomaly
//
// Refutations: O(operations) to build, O(anomalies) per query; safe to share between threads.

#include <optional>

#include "serval/check/check_result.h"

namespace serval {

bool proves(const CheckResult& result, Level level);
// For a violation: whether it implies that `level`, which implies the violated one, is violated as well.
bool refutes_stronger(const CheckResult& result, Level level);
// For a proof: whether the certificate contradicts what `level`, but not the proven one, says about
// snapshots.
bool is_denied_by_snapshots(const CheckResult& result, Level level);

// A cycle with an edge that only the version certificate shows.
bool rests_on_certificate(const Anomaly& anomaly);

class Refutations {
 public:
  explicit Refutations(const History& history);

  bool operator()(const CheckResult& result, Level level) const {
    return violated(result.verdict) && (refutes_stronger(result, level) || shows_forbidden(result, level));
  }

 private:
  bool shows_forbidden(const CheckResult& result, Level level) const;

  bool has_deletes_, has_renewed_keys_;
};

// Keeps only the anomalies that `level` forbids; returns whether there are any.
bool keep_forbidden(Violated& violation, Level level);

// What a violation of another level implies for this one; nothing if it allows every anomaly.
std::optional<Violated> violation_of(Level level, const CheckResult& other, const Refutations& refutes);

}  // namespace serval
