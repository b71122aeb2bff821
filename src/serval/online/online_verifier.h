#pragma once
// Verifies a database while it runs, by doing what it does: versions, locks, snapshots and dependencies are
// mirrored from what clients saw and when (Leopard, ICDE 2023). Any workload; values need not be unique.
//
//   OnlineVerifier verifier(*find_profile("postgres:repeatable-read"));
//   for (const Record& record : records) verifier.accept(record);     // In the pipeline's order (R1).
//   const OnlineResult result = verifier.finish();
//   for (const Violation& violation : result.violations) use(violation.spell());
//
// A violation is a contradiction between what the profile promises and what the records show, and every such
// contradiction is certain: no order of events within the recorded intervals avoids it. What is not certain
// is counted (OnlineStatistics::uncertain), never reported. No violation is no proof.
//
// A transaction is judged when every record that began before its end has come. About half a microsecond an
// operation; memory is what open transactions may still contradict, and one version a key. One thread.

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "serval/online/mirrored_state.h"
#include "serval/online/read_judge.h"
#include "serval/online/record_intake.h"
#include "serval/online/write_judge.h"

namespace serval::online {

struct OnlineOptions {
  std::size_t most_violations = 10;  // Kept with their evidence; all are counted.
  bool forgets = true;               // What nobody can contradict any more.
  // How long versions stay where reads may be of any age; what is older is forgotten, and reads of it are
  // uncertain.
  Time retention = Time{10} * 1'000'000'000;
};

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

  const Profile& profile() const { return state_.profile; }
  std::span<const Violation> violations() const { return state_.violations; }  // So far.
  OnlineStatistics statistics() const;                                         // So far; O(keys).
  std::uint64_t violation_count() const { return state_.statistics.violations_in_all(); }

 private:
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  static constexpr std::uint32_t kEndsBetweenLooks = 64;
  static constexpr std::size_t kRememberedAborts = 1024;
  struct AbortedWrite {
    std::uint32_t key;
    StoredValue value;
    CitedRecord record;
  };

  LiveTransaction& open(const Record& record);
  void lose(std::uint32_t session);
  std::uint32_t take_slot();
  void end(const Record& record);
  void install(LiveTransaction& transaction);
  void install_version(LiveTransaction& transaction, const Access& access);
  void note_lock(const LiveTransaction& transaction, const Access& access);
  void note_aborted_write(const LiveTransaction& transaction, const Access& access);
  void advance(Time frontier);
  void judge(std::uint32_t slot);
  Time earliest_open() const;
  void judge_regions(LiveTransaction& transaction);
  void link_to_session(const LiveTransaction& transaction);
  void look_for_garbage();
  void trim(KeyState& key);
  std::vector<CitedRecord> find_writer(std::uint32_t key, const StoredValue& value) const;

  OnlineOptions options_;
  MirroredState state_;
  RecordIntake intake_;
  ReadJudge read_judge_;
  WriteJudge write_judge_;
  std::vector<LiveTransaction> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> open_;           // By session: the slot of its transaction.
  std::vector<Participant> last_of_session_;  // By session: who was judged last.
  struct Waiting {
    Time end;
    std::uint32_t slot;
    friend bool operator>(const Waiting& a, const Waiting& b) {
      return a.end != b.end ? a.end > b.end : a.slot > b.slot;
    }
  };
  std::vector<Waiting> waiting_;  // A heap: those that ended and are not judged, the earliest end first.
  Time horizon_ = kUnknownBegin;  // No snapshot taken by those not yet judged is earlier.
  Time frontier_ = kUnknownBegin;
  std::uint32_t ends_since_look_ = 0;
  std::deque<AbortedWrite> aborted_writes_;  // The last ones, for naming who wrote what was read.
};

}  // namespace serval::online
