#pragma once
// Verifies a running database by mirroring its mechanisms: it derives versions, locks, snapshots and
// dependencies from the intervals and results of operations (Leopard, ICDE 2023). Works for any workload;
// values need not be unique.
//
//   OnlineVerifier verifier(*find_profile("postgres:repeatable-read"));
//   for (const Record& record : records) verifier.accept(record);     // In the pipeline's order (R1).
//   const OnlineResult result = verifier.finish();
//   for (const Violation& violation : result.violations) use(violation.format());
//
// A violation is a contradiction between the promises of the profile and the records. Every violation is
// certain: no order of events within the recorded intervals avoids it. Uncertain cases are counted
// (OnlineStatistics::uncertain) but never reported. The absence of violations is not a proof.
//
// A transaction is judged when every record that began before its end has arrived. Cost: about a third of
// a microsecond per operation; memory for what open transactions may still contradict, and one version
// per key. Not thread-safe. With several partitions (OnlineOptions) it uses threads of its own; the
// verdicts are the same.

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "serval/online/mirror.h"
#include "serval/online/record_intake.h"

namespace serval::online {

struct OnlineResult {
  std::vector<Violation> violations;  // The first ones; `statistics` counts all.
  OnlineStatistics statistics;
  bool violated() const { return statistics.violations_in_all() > 0; }
};

class OnlineVerifier {
 public:
  explicit OnlineVerifier(const Profile& profile, OnlineOptions options = {});
  OnlineVerifier(const OnlineVerifier&) = delete;
  OnlineVerifier& operator=(const OnlineVerifier&) = delete;

  void accept(const Record& record);
  void accept(std::span<const Record> records) {
    for (const Record& record : records) accept(record);
  }
  // Judges the rest; open transactions count as indeterminate. No records may follow.
  OnlineResult finish();

  const Profile& profile() const { return profile_; }
  // What was found so far. With several partitions the last records may still be in progress.
  std::span<const Violation> violations();
  std::vector<Violation> take_violations();  // Those since the last call, so that an endless run keeps none.
  std::uint64_t violation_count();
  OnlineStatistics statistics();  // O(keys).

 private:
  static constexpr std::uint32_t kEndsBetweenLooks = 64;
  static constexpr std::size_t kRememberedAborts = 4096;
  static constexpr std::size_t kRememberedReads = 256;
  static constexpr std::uint64_t kNotAborted = ~std::uint64_t{0};
  struct AbortedWrite {
    std::uint32_t key;
    StoredValue value;
    std::uint64_t transaction;
    std::uint32_t session;
    Interval time;
    std::uint64_t ended;  // LiveTransaction::ended.
  };

  LiveTransaction& open(const Record& record);
  void lose(std::uint32_t session);
  LiveTransaction& take_slot();
  void pass_facts();
  void end(const Record& record);
  void count_end(LiveTransaction& transaction);
  void note_aborted_writes(const LiveTransaction& transaction);
  void advance(Time frontier);
  Time earliest_open() const;
  void look_for_garbage();
  void look_for_cold_keys();
  void recycle_keys(std::uint64_t oldest);
  void adapt_hot_keys();
  void collect();
  void name_writers();
  void cite_writers(Report& report, std::vector<CitedRecord> writers);
  void look_for_late_writers(const LiveTransaction& transaction);
  void look_for_past_writers();

  const Profile& profile_;
  OnlineOptions options_;
  KeyCatalog keys_;
  RecordIntake intake_;
  std::deque<LiveTransaction> slots_;
  std::vector<LiveTransaction*> free_slots_;
  std::vector<LiveTransaction*> open_;  // By session: its open transaction, or null.
  struct Waiting {
    Time end;
    std::uint64_t number;  // Position among the ended transactions.
    LiveTransaction* transaction;
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  std::vector<Waiting>
      waiting_;  // A heap of transactions that have ended but are not judged, earliest end first.
  std::uint64_t ends_ = 0, participants_ = 0, judged_ = 1;
  Time horizon_ = kUnknownBegin;  // No transaction that is still to be judged has an earlier snapshot.
  Time frontier_ = kUnknownBegin;
  // Transactions that began before `time` have numbers up to `participants`.
  struct Past {
    Time time;
    std::uint64_t participants;
  };
  std::deque<Past> pasts_;          // Ascending. The graph may still contain some of each.
  Time forgotten_ = kUnknownBegin;  // The graph contains no transaction that began before.
  struct RetiredKey {
    std::uint32_t number;
    std::uint64_t participants;  // Upper bound of the numbers of transactions that may have used it.
  };
  std::deque<RetiredKey> retired_keys_;
  std::size_t keys_at_last_look_ = 0;
  std::size_t hot_keys_;  // The current limit, and what it was derived from.
  std::uint64_t evicted_ = 0, evicted_before_ = 0, returned_before_ = 0;
  std::deque<AbortedWrite> aborted_writes_;    // The most recent ones, to find the writers of aborted reads.
  std::deque<Report::Unwritten> unexplained_;  // The most recent reads of values without a known writer.
  OnlineStatistics statistics_;                // Counts of records and transactions.
  std::vector<Violation> violations_;          // The first ones.
  std::vector<Report> reports_;                // Empty between calls.
  std::unique_ptr<Mirror> mirror_;             // Last, because its threads use the others.
};

}  // namespace serval::online
