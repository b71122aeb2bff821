#pragma once
// Turns the operation maps of a Jepsen history into a History: pairs invocations with completions, and
// decides what each transaction did and when. The rules are those of Elle (Kingsbury & Alvaro, VLDB
// 2020), described in docs/formats/jepsen-edn.md:
//
//   0 invoke [[:w x 1]]   0 ok [[:w x 1]]     committed, session 0
//   1 invoke [[:r x nil]]                     indeterminate: what it read is unknown
//
// Amortised O(1) per micro-operation. Memory: the history being built, 32 bytes per transaction for the
// times, and the invocations that have not completed.

#include <cstdint>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/formats/format.h"
#include "serval/formats/jepsen/jepsen_operation.h"
#include "serval/history/history_builder.h"

namespace serval {

class JepsenHistory {
 public:
  ValuePool& values() noexcept { return builder_.values(); }

  // Reserves memory for a file of which `share` (0 to 1) has been read.
  void reserve_after(double share);
  // Adds the next map of the file and moves its micro-operations. Throws FormProblem (form_cursor.h),
  // pointing into the text of the operation.
  void add(JepsenOperation& operation);
  // The file has no ascending times; its order is used instead.
  bool takes_positions() const noexcept { return invocations_seen_ && !times_usable_; }
  // The whole history. Reports what was skipped or decided to `notice`.
  History finish(const Notice& notice) &&;

 private:
  using Times = std::vector<Interval>;

  // The state of a process. Kept for its next invocation, to reuse the vector.
  struct Process {
    bool running = false;
    bool crashed = false;  // Its last operation was :info.
    std::int64_t label = 0;
    Interval position, time;  // Of the invocation; only begin is known.
    std::vector<JepsenMicroOperation> asked;
    std::string node;
  };

  bool is_client(const JepsenOperation& operation);
  void note_index(const JepsenOperation& operation);
  void note_time(const JepsenOperation& operation);
  void interpret(JepsenOperation& operation);
  void interpret_register(const JepsenOperation& operation);
  void interpret_init(const JepsenOperation& operation);
  void add_predicate_read(TransactionId t, const JepsenPredicate& asked);
  bool is_running(Value process) const;
  void invoke(const JepsenOperation& operation, Process& process);
  void complete(const JepsenOperation& operation, Process& process);
  void expect_invocation(const JepsenOperation& operation, const Process& process);
  TransactionId begin(Value process, std::int64_t label, Outcome outcome,
                      const std::vector<JepsenMicroOperation>& operations);
  void add_dangling();
  void set_times();
  void tell_notices(const Notice& notice) const;

  HistoryBuilder builder_;
  absl::flat_hash_map<Value, Process> processes_;
  std::vector<JepsenMicroOperation> operations_;  // Of the current operation; empty if it has none.
  std::vector<JepsenPredicate> predicates_;       // Of the current operation.
  bool names_operations_ = false;                 // Whether the current operation has them.
  std::int64_t label_ = 0;                        // Of the current operation: :index, or its position.

  std::int64_t position_ = -1;  // Of the current operation in the file, from 0.
  Times positions_, times_;     // Of each transaction.
  bool times_usable_ = true;    // Every client operation has a :time, and they ascend strictly.
  std::int64_t last_time_ = -1;
  std::int64_t last_index_ = 0;
  bool index_seen_ = false, indexes_ascend_ = true;
  bool lists_seen_ = false;
  bool invocations_seen_ = false, lone_completions_seen_ = false;
  bool processes_seen_ = false, absent_processes_seen_ = false;
  std::uint64_t others_skipped_ = 0, went_on_after_info_ = 0, dangling_ = 0;
};

}  // namespace serval
