#include "serval/inference/read_faults.h"

#include <absl/container/flat_hash_map.h>

namespace serval {
namespace {

using KeyAndValue = std::pair<KeyId, Value>;

// The writes of one value that could explain a read of it, the first of each sort.
struct Writes {
  OperationId aborted = OperationId::none();
  OperationId overwritten = OperationId::none();  // By a transaction that is not aborted.
};

bool is_write(OperationKind kind) {
  return kind == OperationKind::Write || kind == OperationKind::CompareAndSet ||
         kind == OperationKind::Insert;
}

// What was not recorded may have been this value; so nobody can say that nobody wrote it.
void note(const History& history, TransactionId t, OperationId op, Writes& writes) {
  OperationId& slot = history.outcome(t) == Outcome::Aborted ? writes.aborted : writes.overwritten;
  if (slot.is_none()) slot = op;
}

OperationId own_write(const History& history, TransactionId t, KeyAndValue wanted) {
  for (const OperationId op : history.operations(t)) {
    if (is_write(history.kind(op)) && KeyAndValue{history.key(op), history.value(op)} == wanted) return op;
  }
  return OperationId::none();
}

FaultyRead explain(const History& history, OperationId read, KeyAndValue seen, const Writes& writes) {
  const TransactionId reader = history.transaction_of(read);
  if (const OperationId own = own_write(history, reader, seen); !own.is_none())
    return {ReadFault::Future, reader, read, own};
  if (!writes.overwritten.is_none()) return {ReadFault::Intermediate, reader, read, writes.overwritten};
  if (!writes.aborted.is_none()) return {ReadFault::Aborted, reader, read, writes.aborted};
  return {ReadFault::ThinAir, reader, read};
}

}  // namespace

std::vector<FaultyRead> explain_reads(const History& history, const std::vector<OperationId>& reads,
                                      Budget& budget) {
  if (reads.empty()) return {};
  absl::flat_hash_map<KeyAndValue, Writes> wanted;
  absl::flat_hash_map<KeyId, Writes> unknown;  // By key: writes of values that were not recorded.
  for (const OperationId read : reads) {
    wanted.try_emplace({history.key(read), value_seen(history, read)});
    unknown.try_emplace(history.key(read));
  }
  for (const TransactionId t : history.transactions()) {
    budget.poll("read anomalies");
    for (const OperationId op : history.operations(t)) {
      if (!is_write(history.kind(op))) continue;
      if (history.value(op).is_unknown()) {
        if (const auto found = unknown.find(history.key(op)); found != unknown.end())
          note(history, t, op, found->second);
      } else if (const auto found = wanted.find({history.key(op), history.value(op)});
                 found != wanted.end()) {
        note(history, t, op, found->second);
      }
    }
  }
  std::vector<FaultyRead> faults;
  faults.reserve(reads.size());
  for (const OperationId read : reads) {
    const KeyAndValue seen{history.key(read), value_seen(history, read)};
    Writes writes = wanted.at(seen);
    if (writes.overwritten.is_none() && writes.aborted.is_none()) writes = unknown.at(seen.first);
    faults.push_back(explain(history, read, seen, writes));
  }
  return faults;
}

}  // namespace serval
