#include "serval/online/mirror.h"

#include <algorithm>
#include <numeric>

#include "serval/online/key_partition.h"
#include "serval/online/partitioned_mirror.h"
#include "serval/online/transaction_join.h"

namespace serval::online {
namespace {

// Does everything immediately, in the caller's thread.
class DirectMirror : public Mirror {
 public:
  DirectMirror(const Profile& profile, const KeyCatalog& keys, const OnlineOptions& options)
      : join_(profile, keys.names(), options),
        keys_(profile, keys.names(), join_.oldest_participant(), options) {}

  void note(const KeyFact& fact) override { keys_.note(fact); }
  void install(LiveTransaction& transaction, Time horizon) override {
    join_.add(transaction);
    keys_.install(transaction, all_of(transaction), horizon);
  }
  void judge(LiveTransaction& transaction) override {
    keys_.judge(transaction, all_of(transaction));
    for (const Findings::Finding& finding : keys_.found().all())
      join_.take(transaction, finding, keys_.found());
    keys_.found().clear();
    join_.complete(transaction);
    done_.push_back(&transaction);
  }
  void release(LiveTransaction& transaction) override { done_.push_back(&transaction); }
  void forget_before(Time horizon) override { join_.forget_before(horizon); }

  void flush() override {}
  void settle() override {}
  void give_back(std::vector<LiveTransaction*>& done, std::vector<Report>& found) override {
    done.insert(done.end(), done_.begin(), done_.end());
    done_.clear();
    for (Report& report : join_.take_reports()) found.push_back(std::move(report));
  }
  std::uint64_t violation_count() const override { return join_.violation_count(); }
  std::uint64_t returned_keys() const override { return keys_.returned_keys(); }
  std::uint64_t oldest_participant() const override { return join_.oldest_participant().load(); }
  OnlineStatistics statistics() override {
    OnlineStatistics out = join_.statistics();
    add_to(out, keys_.statistics());
    return out;
  }

 private:
  std::span<const std::uint32_t> all_of(const LiveTransaction& transaction) {
    const std::size_t count = transaction.accesses.size();
    if (count > numbers_.size()) {
      numbers_.resize(2 * count);
      std::iota(numbers_.begin(), numbers_.end(), 0u);
    }
    return std::span(numbers_).first(count);
  }

  TransactionJoin join_;
  KeyPartition keys_;
  std::vector<std::uint32_t> numbers_;  // 0, 1, 2, ...
  std::vector<LiveTransaction*> done_;
};

}  // namespace

std::unique_ptr<Mirror> make_mirror(const Profile& profile, const KeyCatalog& keys,
                                    const OnlineOptions& options) {
  if (keys.partitions() > 1) return std::make_unique<PartitionedMirror>(profile, keys, options);
  return std::make_unique<DirectMirror>(profile, keys, options);
}

void add_to(OnlineStatistics& sum, const OnlineStatistics& part) {
  using Counts = OnlineStatistics;
  for (const auto count :
       {&Counts::records, &Counts::operations, &Counts::committed, &Counts::aborted, &Counts::indeterminate,
        &Counts::reads_checked, &Counts::reads_unchecked, &Counts::reads_ahead, &Counts::keys,
        &Counts::versions, &Counts::locks, &Counts::vertices, &Counts::edges, &Counts::open_transactions})
    sum.*count += part.*count;
  sum.largest_lead = std::max(sum.largest_lead, part.largest_lead);
  for (std::size_t i = 0; i < kDependencyCount; ++i) {
    sum.deduced[i] += part.deduced[i];
    sum.uncertain[i] += part.uncertain[i];
    sum.overlapping[i] += part.overlapping[i];
  }
  for (std::size_t i = 0; i < kMechanismCount; ++i) sum.violations[i] += part.violations[i];
  using Hints = CertifierHints;
  for (const auto count :
       {&Hints::consecutive_anti_dependencies, &Hints::dangerous_structures, &Hints::against_commit_order,
        &Hints::overwritten_reads, &Hints::concurrent_writes})
    sum.hints.*count += part.hints.*count;
}

}  // namespace serval::online
