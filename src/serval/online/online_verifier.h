#pragma once
// Verifies a database while it runs, by doing what it does: versions, locks, snapshots and dependencies are
// mirrored from what clients saw and when (Leopard, ICDE 2023). Any workload; values need not be unique.
//
//   OnlineVerifier verifier(*find_profile("postgres:repeatable-read"));
//   for (const Record& record : records) verifier.accept(record);     // In the pipeline's order (R1).
//   const OnlineResult result = verifier.finish();
//   for (const Violation& violation : result.violations) use(violation.format());
//
// A violation is a contradiction between what the profile promises and what the records show, and every such
// contradiction is certain: no order of events within the recorded intervals avoids it. What is not certain
// is counted (OnlineStatistics::uncertain), never reported. No violation is no proof.
//
// A transaction is judged when every record that began before its end has come. About a third of a
// microsecond an operation; memory is what open transactions may still contradict, and one version a key. One
// thread uses it; with several partitions (OnlineOptions) others work for it, and the verdicts stay the same.

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "serval/online/mirror.h"
#include "serval/online/record_intake.h"

namespace serval::online {

struct OnlineResult {
  std::vector<Violation> violations;  // The first ones; statistics count all.
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
  // Judges the rest; what has not ended is taken for lost. No records after that.
  OnlineResult finish();

  const Profile& profile() const { return profile_; }
  // What was found so far. With several partitions the last records are perhaps still looked at.
  std::span<const Violation> violations();
  std::vector<Violation> take_violations();  // Since the last call; an endless run keeps none of them.
  std::uint64_t violation_count();
  OnlineStatistics statistics();  // So far; O(keys).

 private:
  static constexpr std::uint32_t kEndsBetweenLooks = 64;
  static constexpr std::size_t kRememberedAborts = 4096;
  static constexpr std::size_t kRememberedReads = 256;
  struct AbortedWrite {
    std::uint32_t key;
    StoredValue value;
    std::uint64_t transaction;
    std::uint32_t session;
    Interval time;
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

  const Profile& profile_;
  OnlineOptions options_;
  KeyCatalog keys_;
  RecordIntake intake_;
  std::deque<LiveTransaction> slots_;
  std::vector<LiveTransaction*> free_slots_;
  std::vector<LiveTransaction*> open_;  // By session: its transaction, or null.
  struct Waiting {
    Time end;
    std::uint64_t number;  // Counts ends.
    LiveTransaction* transaction;
    friend bool operator>(const Waiting& a, const Waiting& b) {
      return a.end != b.end ? a.end > b.end : a.number > b.number;
    }
  };
  std::vector<Waiting> waiting_;  // A heap: those that ended and are not judged, the earliest end first.
  std::uint64_t ends_ = 0, participants_ = 0, judged_ = 1;
  Time horizon_ = kUnknownBegin;  // No snapshot taken by those not yet judged is earlier.
  Time frontier_ = kUnknownBegin;
  // All that began before `time` have numbers of at most `participants`.
  struct Past {
    Time time;
    std::uint64_t participants;
  };
  std::deque<Past> pasts_;          // Ascending; the graph may still know some of each.
  Time forgotten_ = kUnknownBegin;  // It knows nobody that began before that.
  struct RetiredKey {
    std::uint32_t number;
    std::uint64_t participants;  // Those that may have used it.
  };
  std::deque<RetiredKey> retired_keys_;
  std::size_t keys_at_last_look_ = 0;
  std::size_t hot_keys_;  // The limit as of now, and what it was derived from.
  std::uint64_t evicted_ = 0, evicted_before_ = 0, returned_before_ = 0;
  std::deque<AbortedWrite> aborted_writes_;    // The last ones, for naming who wrote what was read.
  std::deque<Report::Unwritten> unexplained_;  // The last reads of what nobody is known to have written.
  OnlineStatistics statistics_;                // Of records and transactions.
  std::vector<Violation> violations_;          // The first ones.
  std::vector<Report> reports_;                // Empty between calls.
  std::unique_ptr<Mirror> mirror_;             // Last: its threads use the others.
};

}  // namespace serval::online
