#pragma once
// Everything that concerns whole transactions: merges the findings of the partitions in the order of a
// single partition, and keeps the graph of dependencies, the locks on regions and the order of sessions.
//
//   join.add(transaction);                         // At its end.
//   join.take(transaction, finding, findings);     // All findings about it, ...
//   join.complete(transaction);                    // and then the rest.
//
// One thread at a time.

#include <atomic>
#include <vector>

#include "serval/online/findings.h"
#include "serval/online/live_transaction.h"
#include "serval/online/online_options.h"
#include "serval/online/online_statistics.h"
#include "serval/online/serialization_certifier.h"

namespace serval::online {

class TransactionJoin {
 public:
  TransactionJoin(const Profile& profile, const KeyTable& names, const OnlineOptions& options)
      : profile_(profile), options_(options), certifier_(profile.cycles, names) {}

  void add(const LiveTransaction& transaction);
  void take(const LiveTransaction& transaction, const Findings::Finding& finding, Findings& of);
  void complete(LiveTransaction& transaction);
  // No transaction that is still to be judged has a snapshot before `horizon`.
  void forget_before(Time horizon);

  // Of the certifier. Callable from any thread.
  const std::atomic<std::uint64_t>& oldest_participant() const { return oldest_; }
  std::uint64_t violation_count() const { return violation_count_.load(std::memory_order_relaxed); }
  // The violations since the last call; at most options.most_violations in total.
  std::vector<Report> take_reports() { return std::exchange(reports_, {}); }
  OnlineStatistics statistics() const;

 private:
  void report(Report report);
  void depend(const Findings::Link& link);
  void judge_regions(LiveTransaction& transaction);
  void link_to_session(const LiveTransaction& transaction);

  const Profile& profile_;
  OnlineOptions options_;
  SerializationCertifier certifier_;
  PredicateLocks regions_;
  Time horizon_ = kUnknownBegin;
  std::vector<Participant> last_of_session_;  // By session: the transaction judged last.
  OnlineStatistics statistics_;
  std::vector<Report> reports_;
  std::atomic<std::uint64_t> oldest_ = 1;
  std::atomic<std::uint64_t> violation_count_ = 0;
};

}  // namespace serval::online
