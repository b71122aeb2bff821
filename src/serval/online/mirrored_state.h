#pragma once
// What the mechanisms share: the keys with their versions and locks, the graph of dependencies, what was
// found and what was counted.

#include <array>
#include <cstdint>
#include <vector>

#include "serval/online/key_state.h"
#include "serval/online/key_table.h"
#include "serval/online/live_transaction.h"
#include "serval/online/predicate_locks.h"
#include "serval/online/serialization_certifier.h"
#include "serval/online/violation.h"

namespace serval::online {

struct OnlineStatistics {
  std::uint64_t records = 0, operations = 0;
  std::uint64_t committed = 0, aborted = 0, indeterminate = 0;
  std::uint64_t reads_checked = 0;
  std::uint64_t reads_unchecked = 0;  // The profile promises nothing about them, or their value is unknown.
  // Leopard, Fig. 12: by Dependency. Uncertain: there is one, but not known to whom.
  std::array<std::uint64_t, kDependencyCount> deduced{}, uncertain{};
  std::array<std::uint64_t, kMechanismCount> violations{};  // By Mechanism.
  std::uint64_t violations_in_all() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : violations) sum += count;
    return sum;
  }
  SerializationCertifier::Hints hints;
  // What is remembered now.
  std::uint64_t keys = 0, versions = 0, locks = 0, vertices = 0, edges = 0, open_transactions = 0;
};

class MirroredState {
 public:
  MirroredState(const Profile& used, std::size_t most_violations)
      : profile(used), certifier(used.cycles, keys), most_violations_(most_violations) {}

  const Profile& profile;
  KeyTable keys;
  std::vector<KeyState> states;  // By key.
  SerializationCertifier certifier;
  PredicateLocks regions;
  OnlineStatistics statistics;
  std::vector<Violation> violations;  // The first ones.
  std::uint64_t walk = 0;  // Numbers walks over the accesses of a transaction; see KeyState::stamp.

  void report(Violation violation) {
    ++statistics.violations[static_cast<std::size_t>(violation.mechanism)];
    if (violations.size() < most_violations_) violations.push_back(std::move(violation));
  }
  void depend(Dependency dependency, const Participant& from, const Participant& to, std::uint32_t key,
              bool new_object = false) {
    ++statistics.deduced[static_cast<std::size_t>(dependency)];
    if (auto violation = certifier.depend(dependency, from, to, key, new_object))
      report(std::move(*violation));
  }
  void leave_uncertain(Dependency dependency) {
    ++statistics.uncertain[static_cast<std::size_t>(dependency)];
  }

 private:
  std::size_t most_violations_;
};

}  // namespace serval::online
