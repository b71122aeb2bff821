#pragma once
// Turns the operation maps of a Jepsen history into a History: pairs invocations with completions, decides
// what each transaction did and when. The rules are those of Elle (Kingsbury & Alvaro, VLDB 2020) and are
// told on docs/formats/jepsen-edn.md:
//
//   0 invoke [[:w x 1]]   0 ok [[:w x 1]]     committed, session 0
//   1 invoke [[:r x nil]]                     indeterminate: what it read is unknown
//
// Amortised O(1) a micro-operation. Memory is the history being built, 32 bytes a transaction for the times,
// and the invocations that have not completed.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/formats/jepsen/jepsen_operation.h"
#include "serval/history/history_builder.h"

namespace serval {

class JepsenHistory {
 public:
  ValuePool& values() noexcept { return builder_.values(); }

  // Makes room for a file of which `share` (0 to 1) has been read, so that columns need not be copied.
  void reserve_after(double share);
  // The next map of the file; takes its micro-operations away. Throws FormProblem (form_cursor.h), pointing
  // into the text of the operation.
  void add(JepsenOperation& operation);
  // The file has no times that ascend: its order takes their place.
  bool takes_positions() const noexcept { return invocations_seen_ && !times_usable_; }
  // The whole history; tells `notice` what was skipped and decided on the way.
  History finish(const std::function<void(const std::string&)>& notice) &&;

 private:
  using Times = std::vector<Interval>;

  // What a process is doing. Kept for its next invocation, to use the vector again.
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
  void tell_notices(const std::function<void(const std::string&)>& notice) const;

  HistoryBuilder builder_;
  absl::flat_hash_map<Value, Process> processes_;
  std::vector<JepsenMicroOperation> operations_;  // Of the operation at hand; empty when it names none.
  std::vector<JepsenPredicate> predicates_;       // Of the operation at hand.
  bool names_operations_ = false;                 // Whether the operation at hand says what it did.
  std::int64_t label_ = 0;                        // Of the operation at hand: :index, or its position.

  std::int64_t position_ = -1;  // Of the operation at hand in the file, from 0.
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
