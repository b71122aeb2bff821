#pragma once
// Judges the reads of a committed transaction by consistent read, and links them to the versions they
// saw.
//
//   if (judge.prepare(transaction, part)) ...   // They depend on reads in other partitions.
//   const Interval snapshot = judge.conclude(transaction);

#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/online/consistent_read.h"
#include "serval/online/live_transaction.h"
#include "serval/online/partition_state.h"

namespace serval::online {

class ReadJudge {
 public:
  explicit ReadJudge(PartitionState& state) : state_(state) {}

  // Examines the reads among the accesses of `part` without changing anything. Returns whether some of
  // them depend on when their snapshot was taken, so that other reads of the snapshot may narrow it.
  bool prepare(const LiveTransaction& transaction, std::span<const std::uint32_t> part);
  // Judges what was prepared. Returns the transaction's snapshot, narrowed by its reads.
  Interval conclude(const LiveTransaction& transaction);

 private:
  struct Question {
    std::uint32_t access;
    std::uint32_t window;
    Candidates candidates;
    bool settled = false;
    // No version changes within its window, so its result does not depend on when the snapshot was taken
    // and does not narrow it.
    bool quiet = false;
  };
  struct OwnFault {
    std::uint32_t read, write;
  };

  void ask(const LiveTransaction& transaction, std::span<const std::uint32_t> part);
  void ask_about(const LiveTransaction& transaction, std::uint32_t access);
  std::uint32_t window_of(const LiveTransaction& transaction, const Access& access);
  bool judge_own(const LiveTransaction& transaction, std::uint32_t access);
  static bool may_miss_new_row(const LiveTransaction& transaction, const Access& read);
  static bool may_show_deleted_row(const LiveTransaction& transaction, const Access& write,
                                   const Access& read);
  void look(const LiveTransaction& transaction, Question& question);
  void settle(const LiveTransaction& transaction);
  bool settle_once(const LiveTransaction& transaction);
  void settle_either(const LiveTransaction& transaction, Question& question);
  void look_for_contradictions(const LiveTransaction& transaction);
  void look_for_halves(const LiveTransaction& transaction, const Question& question);
  const Question* reader_of(std::uint64_t writer, std::uint32_t window, const LiveTransaction& transaction);
  bool certainly_saw(const Question& question, std::uint64_t writer, std::uint32_t window,
                     const LiveTransaction& transaction) const;
  void link(const LiveTransaction& transaction, const Question& question);
  void note_update(const LiveTransaction& transaction, const Access& read, Version& seen);
  void link_to_next(const LiveTransaction& transaction, const Access& read, std::uint32_t match);

  CitedRecord cite(const LiveTransaction& transaction, const Access& access) const;
  void report_unseen(const LiveTransaction& transaction, const Question& question);
  void report_own(const LiveTransaction& transaction, const Access& read, const Access& write);
  void report_half(const LiveTransaction& transaction, const Question& missed, const Question& seen);
  void report_skew(const LiveTransaction& transaction, const SnapshotWindow& window);

  PartitionState& state_;
  std::vector<SnapshotWindow> windows_;
  std::vector<Question> questions_;
  std::vector<OwnFault> own_faults_;
  // Reads by their snapshot and the writer that they certainly saw. Filled on demand.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> readers_;
  std::uint64_t checked_ = 0, unchecked_ = 0;
  std::uint32_t shared_window_ = 0, statement_window_ = 0, window_statement_ = 0;
};

}  // namespace serval::online
