#pragma once
// An anomaly in words: which transactions took part, which of their operations matter, why each must come
// before the next, and why no order exists. The text and JSON reports show the same explanation.
//
//   1. T1 ─rw(x)→ T2   T1 read x = 0; T2 read that same 0 and wrote 5
//   2. T2 ─rw(y)→ T1   T2 read y = 0; T1 read that same 0 and wrote 9
//   so each must precede the other: no serial order exists.

#include <cstdint>
#include <string>
#include <vector>

#include "serval/evidence/verdict.h"

namespace serval {

// What the times of a history are.
enum class Clock : std::uint8_t { Nanoseconds, FilePositions };

struct Explanation {
  struct Participant {
    TransactionId transaction;
    std::string name;
    std::vector<OperationId> operations;  // The ones that carry the anomaly, in program order.
  };
  struct Step {
    std::string claim;  // "T1 ─rw(x)→ T2"; empty for a statement about one transaction.
    std::string why;    // "T1 read x = 0; T2 wrote 5"
  };

  std::vector<Participant> participants;  // In the order of the story.
  std::vector<Step> steps;                // Parallel to Cycle::edges for a cycle.
  std::string conclusion;                 // "so each must precede the other: no serial order exists."
  std::string fingerprint;                // The same for anomalies of one shape: "write-skew:rw,rw".
};

// `level` is the violated one; it decides which kind of order does not exist. O(transactions) for the names.
Explanation explain(const History& history, Level level, const Anomaly& anomaly,
                    Clock clock = Clock::Nanoseconds);

// The story on one line, for logs and JSON.
std::string prose(const Explanation& explanation);

}  // namespace serval
