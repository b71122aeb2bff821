#include "check/agreement.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "serval/check/verify_witness.h"

namespace serval::oracle {
namespace {

// One transaction's dealings with one key: what it read before writing, and what it left behind.
struct Dealing {
  bool read_first = false;
  Value seen;
  bool wrote = false;
  Value left;
};
using Dealings = std::map<KeyId, Dealing>;

Dealings dealings_of(const History& history, TransactionId t) {
  Dealings dealings;
  for (const OperationId op : history.operations(t)) {
    const Operation operation = history.operation(op);
    Dealing& dealing = dealings[operation.key];
    const bool writes_only =
        operation.kind == OperationKind::Write || operation.kind == OperationKind::Delete;
    const bool reads_only = operation.kind == OperationKind::Read ||
                            operation.kind == OperationKind::InsertMiss ||
                            operation.kind == OperationKind::CompareAndSetMiss;
    if (!writes_only && !dealing.wrote && !dealing.read_first) {
      dealing.read_first = true;
      dealing.seen = reads_only                                       ? operation.value
                     : operation.kind == OperationKind::CompareAndSet ? operation.expected
                                                                      : Value::nil();
    }
    if (!reads_only) {
      dealing.wrote = true;
      dealing.left = operation.value;
    }
  }
  return dealings;
}

class Precondition {
 public:
  explicit Precondition(const History& history) : history_(history) {
    for (const TransactionId t : history.transactions()) {
      dealings_.push_back(dealings_of(history, t));
      takes_part_.push_back(history.outcome(t) == Outcome::Committed);
      if (history.outcome(t) == Outcome::Aborted) continue;
      for (const auto& [key, dealing] : dealings_.back())
        if (dealing.wrote) writers_[{key, dealing.left}].insert(t);
    }
    while (find_another_participant()) {
    }
  }

  bool holds() const {
    for (const OperationKind kind : history_.kind_column())
      if (kind == OperationKind::Delete) return false;
    for (const KeyId key : history_.key_ids())
      if (writers_.contains({key, Value::nil()}) || !has_one_chain(key)) return false;
    return reads_are_certain();
  }

 private:
  bool find_another_participant() {
    for (const TransactionId t : history_.transactions()) {
      if (!takes_part_[t.index]) continue;
      for (const auto& [key, dealing] : dealings_[t.index]) {
        const auto found = writers_.find({key, dealing.seen});
        if (!dealing.read_first || found == writers_.end()) continue;
        for (const TransactionId writer : found->second)
          if (!takes_part_[writer.index]) return takes_part_[writer.index] = true;
      }
    }
    return false;
  }

  bool reads_are_certain() const {
    for (const TransactionId t : history_.transactions())
      for (const auto& [key, dealing] : dealings_[t.index]) {
        const auto found = writers_.find({key, dealing.seen});
        if (takes_part_[t.index] && dealing.read_first && found != writers_.end() && found->second.size() > 1)
          return false;
      }
    return true;
  }

  bool has_one_chain(KeyId key) const {
    int blind = 0, updates_of_the_initial_version = 0;
    for (const TransactionId t : history_.transactions()) {
      const auto found = dealings_[t.index].find(key);
      if (!takes_part_[t.index] || found == dealings_[t.index].end() || !found->second.wrote) continue;
      const Dealing& dealing = found->second;
      const bool of_initial = dealing.seen.is_nil() || (dealing.seen == history_.initial_value() &&
                                                        !writers_.contains({key, dealing.seen}));
      if (!dealing.read_first)
        ++blind;
      else if (of_initial)
        ++updates_of_the_initial_version;
    }
    return blind == 0 || (blind == 1 && updates_of_the_initial_version == 0);
  }

  const History& history_;
  std::vector<Dealings> dealings_;
  std::vector<bool> takes_part_;
  std::map<std::pair<KeyId, Value>, std::set<TransactionId>> writers_;
};

Answer answer_of(const Verdict& verdict) {
  if (holds(verdict)) return Answer::Holds;
  return violated(verdict) ? Answer::Violated : Answer::Undecided;
}

std::string complaint_of_undecided(const History& history, const Undecided& undecided, Level level) {
  if (undecided.cause == Undecided::Cause::NoTimes && uses_real_time(level)) return "";
  if (!must_be_decided(history)) return "";
  return "undecided, although every write follows a read and every read has one writer: " + undecided.reason;
}

}  // namespace

bool is_single_operation(const History& history) {
  for (const TransactionId t : history.transactions())
    if (history.operations(t).size() > 1) return false;
  return true;
}

bool must_be_decided(const History& history) { return Precondition(history).holds(); }

Comparison compare(const History& history, Level level) {
  const CheckResult result = check(history, level);
  const Answer answer = answer_of(result.verdict);
  if (answer == Answer::Undecided)
    return {answer, complaint_of_undecided(history, std::get<Undecided>(result.verdict), level)};
  const bool truth = satisfies(history, level);
  if (truth && answer == Answer::Violated) return {answer, "violated, but the oracle finds an execution"};
  if (!truth && answer == Answer::Holds) return {answer, "holds, but the oracle finds no execution"};
  const auto flaw = verify_witness(history, level, result.verdict);
  return {answer, flaw ? "the verdict is right, but its evidence does not stand: " + *flaw : ""};
}

}  // namespace serval::oracle
