#pragma once
// Who does the judging: one thread at once (make_mirror with one partition), or a thread for each partition
// of the keys and one that joins what they find. The verifier decides the order; a mirror keeps to it as far
// as it can be told.
//
//   mirror->note(fact);
//   mirror->install(transaction, horizon);
//   mirror->judge(transaction);                    // Later, or never where its end is not known.
//   mirror->give_back(free);                       // Those that it is done with.

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
  // It was installed and will not be judged.
  virtual void release(LiveTransaction& transaction) = 0;
  virtual void forget_before(Time horizon) = 0;

  // Starts what was put off; waits for nothing.
  virtual void flush() = 0;
  // Waits until all is done.
  virtual void settle() = 0;
  // Adds what was found, and those that it is done with, since the last call.
  virtual void give_back(std::vector<LiveTransaction*>& done, std::vector<Report>& found) = 0;
  virtual std::uint64_t violation_count() const = 0;
  // How many keys came back that were evicted, about.
  virtual std::uint64_t returned_keys() const = 0;
  // Participants with smaller numbers are forgotten.
  virtual std::uint64_t oldest_participant() const = 0;
  // So far; settles first.
  virtual OnlineStatistics statistics() = 0;
};

std::unique_ptr<Mirror> make_mirror(const Profile& profile, const KeyCatalog& keys,
                                    const OnlineOptions& options);

// The counts of several parts together.
void add_to(OnlineStatistics& sum, const OnlineStatistics& part);

}  // namespace serval::online
