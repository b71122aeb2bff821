#pragma once
// What the mirror concludes: dependencies between transactions, and contradictions, which are two
// conclusions that cannot both be true, each with the records that it follows from.
//
//   violation.first.conclusion  == "T7 holds the lock of x until its end begins at 90"
//   violation.second.conclusion == "T9 got the lock of x by 50"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/history/operation.h"
#include "serval/levels/anomaly.h"

namespace serval::online {

// Dependencies between transactions, which the mechanisms report to the certifier.
enum class Dependency : std::uint8_t { WriteWrite, WriteRead, ReadWrite, Session };
constexpr std::size_t kDependencyCount = 4;

// The number of a committed transaction in the graph. Later commits have larger numbers.
struct Participant {
  std::uint64_t number = 0;
  bool is_none() const { return number == 0; }
  friend bool operator==(const Participant&, const Participant&) = default;
};

enum class Mechanism : std::uint8_t {
  ConsistentRead,
  MutualExclusion,
  FirstUpdaterWins,
  SerializationCertifier,
};
constexpr std::size_t kMechanismCount = 4;
std::string_view name_of(Mechanism mechanism);  // "consistent-read", ...

// An action of a client and its interval, from the trace.
struct CitedRecord {
  std::uint64_t transaction = 0;  // 0: the state before the first transaction.
  std::uint32_t session = 0;
  std::string action;  // "read x = 5", "commit"
  Interval time;
  std::string session_label;  // From the history; empty if only the number is known.
  bool session_label_is_number = false;
};

// An action of the transaction that `of` belongs to: a version, a lock, ...
template <class Held>
CitedRecord cite(const Held& of, std::string action, const Interval& time) {
  return {of.transaction, of.session, std::move(action), time};
}

std::string spelled(const CitedRecord& record);  // Its client: "T7 (session 3)", "initially".

struct Derivation {
  std::string conclusion;
  std::vector<CitedRecord> records;
};

struct Violation {
  Mechanism mechanism;
  AnomalyKind kind;
  std::string key;  // Or several: "x, y". Empty only if sessions alone contradict each other.
  std::vector<std::uint64_t> transactions;  // The contradicting transactions; for a cycle, in its order.
  Derivation first, second;

  // Several lines. `who` names the client of a record.
  std::string format(const std::function<std::string(const CitedRecord&)>& who = spelled) const;
};

}  // namespace serval::online
