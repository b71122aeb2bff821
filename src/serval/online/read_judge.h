#pragma once
// Judges the reads of a committed transaction by consistent read, and links them to the versions they
// saw.
//
//   if (judge.prepare(transaction, part)) ...   // They depend on reads in other partitions.
//   const Interval snapshot = judge.conclude();

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
  Interval conclude();

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

  void ask(std::span<const std::uint32_t> part);
  void ask_about(std::uint32_t access);
  std::uint32_t window_of(const Access& access);
  bool judge_own(std::uint32_t access);
  bool may_miss_new_row(const Access& read) const;
  bool may_show_deleted_row(const Access& write, const Access& read) const;
  void look(Question& question);
  void settle();
  bool settle_once();
  void settle_either(Question& question);
  void look_for_contradictions();
  void look_for_halves(const Question& question);
  const Question* reader_of(std::uint64_t writer, std::uint32_t window);
  bool certainly_saw(const Question& question, std::uint64_t writer, std::uint32_t window) const;
  void link(const Question& question);
  void note_update(const Access& read, Version& seen);
  void link_to_next(const Question& question);

  CitedRecord cite(std::string action, const Interval& time) const {
    return {transaction_->number, transaction_->session, std::move(action), time};
  }
  CitedRecord cite(const Access& access) const;
  void report_unseen(const Question& question);
  void report_own(const Access& read, const Access& write);
  void report_half(const Question& missed, const Question& seen);
  void report_skew(const SnapshotWindow& window);

  const Access& read_of(const Question& question) const { return transaction_->accesses[question.access]; }

  PartitionState& state_;
  const LiveTransaction* transaction_ = nullptr;  // The one that was prepared.
  std::vector<SnapshotWindow> windows_;
  std::vector<Question> questions_;
  std::vector<OwnFault> own_faults_;
  // Reads by their snapshot and the writer that they certainly saw. Filled on demand.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> readers_;
  std::uint64_t checked_ = 0, unchecked_ = 0;
  std::uint32_t shared_window_ = 0, statement_window_ = 0, window_statement_ = 0;
};

}  // namespace serval::online
