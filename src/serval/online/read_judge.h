#pragma once
// Judges the reads of a committed transaction by consistent read, and links them to what they saw.

#include <functional>
#include <vector>

#include "serval/online/consistent_read.h"
#include "serval/online/mirrored_state.h"

namespace serval::online {

class ReadJudge {
 public:
  // Who, of the transactions that had not committed, wrote a value; for the words of a violation.
  using FindWriter = std::function<std::vector<CitedRecord>(std::uint32_t key, const StoredValue& value)>;

  ReadJudge(MirroredState& state, FindWriter find_writer)
      : state_(state), find_writer_(std::move(find_writer)) {}

  // Returns the transaction's snapshot, as narrow as its reads make it.
  Interval judge(const LiveTransaction& transaction);

 private:
  struct Question {
    std::uint32_t access;
    std::uint32_t window;
    Candidates candidates;
    bool settled = false;
  };

  void ask(const LiveTransaction& transaction);
  void ask_about(const LiveTransaction& transaction, std::uint32_t access);
  std::uint32_t window_of(const LiveTransaction& transaction, const Access& access);
  bool judge_own(const LiveTransaction& transaction, const Access& read);
  void settle(const LiveTransaction& transaction);
  bool settle_once(const LiveTransaction& transaction);
  void settle_either(const LiveTransaction& transaction, Question& question);
  void look_for_contradictions(const LiveTransaction& transaction);
  void look_for_halves(const LiveTransaction& transaction, const Question& question);
  void link(const LiveTransaction& transaction, const Question& question);
  void link_to_next(const LiveTransaction& transaction, std::uint32_t number, std::uint32_t match);

  CitedRecord cite(const LiveTransaction& transaction, const Access& access) const;
  void report_unseen(const LiveTransaction& transaction, const Question& question);
  void report_own(const LiveTransaction& transaction, const Access& read, const Access& write);
  void report_half(const LiveTransaction& transaction, const Question& missed, const Question& seen);
  void report_skew(const LiveTransaction& transaction, const SnapshotWindow& window);

  MirroredState& state_;
  FindWriter find_writer_;
  std::vector<SnapshotWindow> windows_;
  std::vector<Question> questions_;
  std::uint32_t shared_window_ = 0, statement_window_ = 0, window_statement_ = 0;
};

}  // namespace serval::online
