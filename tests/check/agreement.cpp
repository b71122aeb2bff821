#include "check/agreement.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "serval/verify/verify_witness.h"

namespace serval::oracle {
namespace {

// How one transaction used one key: what it read before writing, and what it wrote last.
struct Dealing {
  bool read_first = false;
  Value seen;                        // By its first read.
  std::vector<Value> external_seen;  // Everything that it read before writing.
  bool wrote = false;
  Value left;
};
using Dealings = std::map<KeyId, Dealing>;

bool is_list(OperationKind kind) { return kind == OperationKind::Append || kind == OperationKind::ReadList; }

Dealings dealings_of(const History& history, TransactionId t) {
  Dealings dealings;
  for (const OperationId op : history.operations(t)) {
    const Operation operation = history.operation(op);
    if (is_list(operation.kind)) continue;
    Dealing& dealing = dealings[operation.key];
    const bool writes_only =
        operation.kind == OperationKind::Write || operation.kind == OperationKind::Delete;
    const bool reads_only = operation.kind == OperationKind::Read ||
                            operation.kind == OperationKind::InsertMiss ||
                            operation.kind == OperationKind::CompareAndSetMiss;
    const Value seen = reads_only                                       ? operation.value
                       : operation.kind == OperationKind::CompareAndSet ? operation.expected
                                                                        : Value::nil();
    if (!writes_only && !dealing.wrote && !seen.is_unknown()) {
      dealing.external_seen.push_back(seen);
      if (!dealing.read_first) dealing.seen = dealing.external_seen.back();
      dealing.read_first = true;
    }
    if (!reads_only) {
      dealing.wrote = true;
      dealing.left = operation.value;
    }
  }
  return dealings;
}

// The appends to lists, and which of them were seen.
class ListPrecondition {
 public:
  explicit ListPrecondition(const History& history) : history_(history) {
    for (const TransactionId t : history.transactions())
      for (const OperationId op : history.operations(t))
        if (history.kind(op) == OperationKind::Append)
          unique_ &= appended_.emplace(std::pair(history.key(op), history.value(op)), t).second;
  }

  bool appends_are_unique() const { return unique_; }

  // The transactions whose appends appear in the lists that `t` read.
  std::set<TransactionId> shown_to(TransactionId t) const {
    std::set<TransactionId> found;
    for (const auto& element : elements_shown_to(t))
      if (const auto append = appended_.find(element); append != appended_.end())
        found.insert(append->second);
    return found;
  }

  // Whether two reads of a list, without the elements of aborted transactions, contradict each other:
  // neither is a prefix of the other.
  bool reads_contradict() const {
    std::map<KeyId, std::vector<Value>> longest;
    const auto shown = [&](OperationId op) {
      std::vector<Value> kept;
      for (const Value element : history_.values().elements(history_.value(op)))
        if (const auto append = appended_.find({history_.key(op), element});
            append != appended_.end() && history_.outcome(append->second) != Outcome::Aborted)
          kept.push_back(element);
      return kept;
    };
    for (const bool compares : {false, true})
      for (const TransactionId t : history_.transactions())
        for (const OperationId op : history_.operations(t)) {
          if (history_.kind(op) != OperationKind::ReadList || !history_.value(op).is_list()) continue;
          if (history_.outcome(t) == Outcome::Aborted) continue;
          const std::vector<Value> list = shown(op);
          std::vector<Value>& longest_read = longest[history_.key(op)];
          if (!compares && list.size() > longest_read.size()) longest_read = list;
          if (compares && !std::equal(list.begin(), list.end(), longest_read.begin())) return true;
        }
    return false;
  }

  bool all_but_one_are_seen(const std::vector<bool>& takes_part) const {
    std::set<std::pair<KeyId, Value>> seen;
    for (const TransactionId t : history_.transactions())
      if (takes_part[t.index]) seen.merge(elements_shown_to(t));
    std::map<KeyId, std::set<TransactionId>> unseen;  // Transactions with an append that no read shows.
    for (const auto& [element, t] : appended_)
      if (takes_part[t.index] && !seen.contains(element)) unseen[element.first].insert(t);
    return std::ranges::all_of(unseen, [](const auto& entry) { return entry.second.size() <= 1; });
  }

 private:
  std::set<std::pair<KeyId, Value>> elements_shown_to(TransactionId t) const {
    std::set<std::pair<KeyId, Value>> shown;
    for (const OperationId op : history_.operations(t))
      if (history_.kind(op) == OperationKind::ReadList && history_.value(op).is_list())
        for (const Value element : history_.values().elements(history_.value(op)))
          shown.emplace(history_.key(op), element);
    return shown;
  }

  const History& history_;
  bool unique_ = true;
  std::map<std::pair<KeyId, Value>, TransactionId> appended_;
};

class Precondition {
 public:
  explicit Precondition(const History& history) : history_(history), lists_(history) {
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

  bool reads_are_known() const {
    for (const OperationKind kind : history_.kind_column())
      if (kind == OperationKind::Delete) return false;
    for (const KeyId key : history_.key_ids())
      if (writers_.contains({key, Value::nil()}) || writers_.contains({key, Value::unknown()})) return false;
    return reads_are_certain() && lists_.appends_are_unique();
  }
  // A read of a register may have several possible writers, all of which happened.
  bool sources_are_known() const {
    for (const TransactionId t : history_.transactions()) {
      if (history_.outcome(t) == Outcome::Indeterminate) return false;
      for (const auto& [key, dealing] : dealings_[t.index])
        if (std::ranges::count(dealing.external_seen, dealing.seen) <
                static_cast<std::ptrdiff_t>(dealing.external_seen.size()) ||
            writers_.contains({key, Value::unknown()}))
          return false;
    }
    return lists_.appends_are_unique();
  }
  bool order_is_known() const {
    for (const KeyId key : history_.key_ids())
      if (!has_one_chain(key)) return false;
    return lists_.all_but_one_are_seen(takes_part_);
  }
  bool is_one_chain() const {
    std::set<std::pair<KeyId, Value>> overwritten;
    for (const TransactionId t : history_.transactions())
      for (const auto& [key, dealing] : dealings_[t.index]) {
        if (!takes_part_[t.index] || !dealing.read_first || !dealing.wrote) continue;
        const Value seen = is_initial(dealing.seen) ? Value::nil() : dealing.seen;
        if (!overwritten.insert({key, seen}).second) return false;
      }
    return true;
  }

 private:
  bool is_initial(Value seen) const { return seen.is_nil() || seen == history_.initial_value(); }

  // Visits the possible writers of what each participant read before writing.
  template <class Visit>
  bool any_source(Visit visit) const {
    for (const TransactionId t : history_.transactions()) {
      if (!takes_part_[t.index]) continue;
      for (const auto& [key, dealing] : dealings_[t.index])
        for (const Value seen : dealing.external_seen)
          if (const auto found = writers_.find({key, seen}); found != writers_.end() && visit(found->second))
            return true;
    }
    return false;
  }

  bool find_another_participant() {
    for (const TransactionId t : history_.transactions())
      if (takes_part_[t.index])
        for (const TransactionId writer : lists_.shown_to(t))
          if (!takes_part_[writer.index] && history_.outcome(writer) != Outcome::Aborted)
            return static_cast<bool>(takes_part_[writer.index] = true);
    return any_source([this](const std::set<TransactionId>& writers) {
      for (const TransactionId writer : writers)
        if (!takes_part_[writer.index]) return static_cast<bool>(takes_part_[writer.index] = true);
      return false;
    });
  }

  // For a read of the initial value, the initial version is one more possibility.
  bool reads_are_certain() const {
    for (const TransactionId t : history_.transactions()) {
      if (!takes_part_[t.index]) continue;
      for (const auto& [key, dealing] : dealings_[t.index])
        for (const Value seen : dealing.external_seen) {
          const auto found = writers_.find({key, seen});
          if (found == writers_.end()) continue;
          const bool only_itself = found->second == std::set{t};
          if (found->second.size() > 1 || (is_initial(seen) && !only_itself)) return false;
        }
    }
    return true;
  }

  bool has_one_chain(KeyId key) const {
    int blind = 0, updates_of_the_initial_version = 0;
    for (const TransactionId t : history_.transactions()) {
      const auto found = dealings_[t.index].find(key);
      if (!takes_part_[t.index] || found == dealings_[t.index].end() || !found->second.wrote) continue;
      const Dealing& dealing = found->second;
      const bool of_initial = is_initial(dealing.seen);
      if (!dealing.read_first)
        ++blind;
      else if (of_initial)
        ++updates_of_the_initial_version;
    }
    return blind == 0 || (blind == 1 && updates_of_the_initial_version == 0);
  }

  const History& history_;
  ListPrecondition lists_;
  std::vector<Dealings> dealings_;
  std::vector<bool> takes_part_;
  std::map<std::pair<KeyId, Value>, std::set<TransactionId>> writers_;
};

Answer answer_of(const Verdict& verdict) {
  if (holds(verdict)) return Answer::Holds;
  return violated(verdict) ? Answer::Violated : Answer::Undecided;
}

// A row that is inserted after a delete may be a new object, so a violation for the oracle may be none
// for check(). The oracle treats a key as one register.
bool may_have_new_rows(const History& history) {
  for (const TransactionId a : history.transactions())
    for (const TransactionId b : history.transactions())
      for (const OperationId insert : history.operations(a))
        for (const OperationId removal : history.operations(b))
          if (a != b &&
              (history.kind(insert) == OperationKind::Insert ||
               history.kind(insert) == OperationKind::Write) &&
              history.kind(removal) == OperationKind::Delete && history.key(insert) == history.key(removal))
            return true;
  return false;
}

std::string complaint_of_undecided(const History& history, const Undecided& undecided, Level level) {
  if (undecided.cause == Undecided::Cause::NoTimes && uses_real_time(level)) return "";
  if (!must_be_decided(history, level)) return "";
  const bool about_objects =
      !implies(level, Level::RepeatableRead) && !implies(Level::StrongReadCommitted, level);
  if (about_objects && may_have_new_rows(history)) return "";
  return "undecided, although enough is known: " + undecided.reason;
}

bool is_single_operation(const History& history) {
  for (const TransactionId t : history.transactions())
    if (history.operations(t).size() > 1) return false;
  return true;
}

}  // namespace

bool is_about(Level level, const History& history) {
  if (uses_real_time(level) && !history.has_times()) return false;
  return level != Level::Linearizable || is_single_operation(history);
}

Known known_of(const History& history) {
  const Precondition precondition(history);
  if (!precondition.reads_are_known())
    return precondition.sources_are_known() ? Known::Sources : Known::Nothing;
  if (!precondition.order_is_known()) return Known::Reads;
  return precondition.is_one_chain() ? Known::Chain : Known::Order;
}

std::optional<Known> enough_to_decide(Level level) {
  switch (level) {
    case Level::ReadUncommitted:
    case Level::StrongSessionReadUncommitted:
    case Level::StrongReadUncommitted:
    case Level::ReadCommitted:
    case Level::StrongSessionReadCommitted:
    case Level::StrongReadCommitted:
    case Level::MonotonicAtomicView:
    case Level::ReadCommittedMonotonic:
    case Level::MonotonicReads:
    case Level::MonotonicWrites:
    case Level::ReadYourWrites:
    case Level::WritesFollowReads:
    case Level::Pram:
    case Level::ReadAtomic:
    case Level::Causal:
      return Known::Reads;
    case Level::MonotonicView:
      return Known::Chain;
    case Level::CursorStability:
    case Level::ConsistentView:
    case Level::ParallelSnapshotIsolation:
    case Level::Linearizable:
      return Known::Order;
    case Level::PrefixConsistency:
    case Level::SnapshotIsolation:
    case Level::StrongSessionSnapshotIsolation:
    case Level::StrongSnapshotIsolation:
    case Level::RepeatableRead:
    case Level::Serializable:
    case Level::StrongSessionSerializable:
    case Level::StrictSerializable:
      return Known::Sources;
  }
  return std::nullopt;
}

bool must_be_decided(const History& history, Level level) {
  const std::optional<Known> enough = enough_to_decide(level);
  // The engine for linearizable handles lightweight transactions, not lists.
  if (level == Level::Linearizable && std::ranges::any_of(history.kind_column(), is_list)) return false;
  // Below read-committed it is unknown which of the contradicting reads shows the version order.
  const bool below = !implies(level, Level::ReadCommitted) && implies(level, Level::ReadUncommitted);
  if (below && ListPrecondition(history).reads_contradict()) return false;
  return enough && known_of(history) >= *enough;
}

std::string complaint_about_survey(const History& history, const LevelSet& truth) {
  const Survey found = survey(history);
  std::string complaint;
  for (const Level level : found.proven)
    if (is_about(level, history) && !truth[index_of(level)])
      complaint += "the survey proves " + std::string(name_of(level)) + "; ";
  for (const Level level : found.refuted)
    if (is_about(level, history) && truth[index_of(level)])
      complaint += "the survey refutes " + std::string(name_of(level)) + "; ";
  for (const CheckResult& result : found.results)
    if (const auto flaw = verify_witness(history, result.level, result.verdict))
      complaint += std::string(name_of(result.level)) + ": " + *flaw + "; ";
  return complaint;
}

Comparison compare(const History& history, Level level, const LevelSet& truth, Engine engine) {
  const CheckResult result = check(history, level, {.engine = engine});
  const Answer answer = answer_of(result.verdict);
  if (answer == Answer::Undecided && engine != Engine::Auto) return {answer, ""};
  if (answer == Answer::Undecided)
    return {answer, complaint_of_undecided(history, std::get<Undecided>(result.verdict), level)};
  const bool holds = truth[index_of(level)];
  if (holds && answer == Answer::Violated) return {answer, "violated, but the oracle finds an execution"};
  if (!holds && answer == Answer::Holds) return {answer, "holds, but the oracle finds no execution"};
  const auto flaw = verify_witness(history, level, result.verdict);
  return {answer, flaw ? "the verdict is right, but its evidence does not stand: " + *flaw : ""};
}

}  // namespace serval::oracle
