#pragma once
// Explains an anomaly: which transactions take part, which of their operations matter, why each must
// precede the next, and why no order exists. The text and JSON reports show the same explanation.
//
//   1. T1 ─rw(x)→ T2   T1 read x = 0; T2 read that same 0 and wrote 5
//   2. T2 ─rw(y)→ T1   T2 read y = 0; T1 read that same 0 and wrote 9
//   so each must precede the other: no serial order exists.

#include <cstdint>
#include <string>
#include <vector>

#include "serval/evidence/verdict.h"

namespace serval {

// The meaning of the times in a history.
enum class Clock : std::uint8_t {
  Nanoseconds,
  Widened,  // Nanoseconds, of intervals longer than recorded, because the clocks may be wrong.
  FilePositions
};

struct Explanation {
  struct Participant {
    TransactionId transaction;
    std::string name;
    std::vector<OperationId> operations;  // Those that make up the anomaly, in program order.
  };
  struct Step {
    std::string claim;  // "T1 ─rw(x)→ T2"; empty for a statement about one transaction.
    std::string why;    // "T1 read x = 0; T2 wrote 5"
  };

  std::vector<Participant> participants;  // In the order of the steps.
  std::vector<Step> steps;                // Parallel to Cycle::edges for a cycle.
  std::string conclusion;                 // "so each must precede the other: no serial order exists."
  std::string fingerprint;                // Equal for anomalies of the same shape: "write-skew:rw,rw".
};

// `level` is the violated one, which decides what kind of order does not exist. O(transactions) for the
// names.
Explanation explain(const History& history, Level level, const Anomaly& anomaly,
                    Clock clock = Clock::Nanoseconds);

// Its transactions, from the evidence: in the order of the explanation, without names. O(edges) for a cycle.
std::vector<Explanation::Participant> participants_of(const History& history, const Evidence& evidence);

// Transactions that the explanation names although they are not part of the anomaly: their reads show the
// order of versions.
std::vector<TransactionId> witnesses_of(const History& history, const Evidence& evidence);

// The explanation on one line, for logs and JSON.
std::string prose(const Explanation& explanation);

}  // namespace serval
