#pragma once
// Judges transactions: in the caller's thread (make_mirror with one partition), or with a thread per
// partition of the keys. The verifier decides the order; the results are those of that order.
//
//   mirror->note(fact);
//   mirror->install(transaction, horizon);
//   mirror->judge(transaction);                    // Later, or never if its end is unknown.
//   mirror->give_back(free);                       // Transactions that it no longer needs.

#include <memory>
#include <vector>

#include "serval/online/findings.h"
#include "serval/online/key_catalog.h"
#include "serval/online/live_transaction.h"
#include "serval/online/online_options.h"
#include "serval/online/online_statistics.h"

namespace serval::online {

class Mirror {
 public:
  virtual ~Mirror() = default;

  virtual void note(const KeyFact& fact) = 0;
  virtual void install(LiveTransaction& transaction, Time horizon) = 0;
  virtual void judge(LiveTransaction& transaction) = 0;
  // For a transaction that was installed and will not be judged.
  virtual void release(LiveTransaction& transaction) = 0;
  virtual void forget_before(Time horizon) = 0;

  // Starts pending work without waiting.
  virtual void flush() = 0;
  // Waits until all work is done.
  virtual void settle() = 0;
  // Appends the findings, and the transactions it no longer needs, since the last call.
  virtual void give_back(std::vector<LiveTransaction*>& done, std::vector<Report>& found) = 0;
  virtual std::uint64_t violation_count() const = 0;
  // Approximately how many evicted keys came back.
  virtual std::uint64_t returned_keys() const = 0;
  // Participants with smaller numbers are forgotten.
  virtual std::uint64_t oldest_participant() const = 0;
  // Settles first.
  virtual OnlineStatistics statistics() = 0;
};

std::unique_ptr<Mirror> make_mirror(const Profile& profile, const KeyCatalog& keys,
                                    const OnlineOptions& options);

// The sum of the counts of several parts.
void add_to(OnlineStatistics& sum, const OnlineStatistics& part);

}  // namespace serval::online
