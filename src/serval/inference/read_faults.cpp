#include "serval/inference/read_faults.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace serval {
namespace {

using KeyAndValue = std::pair<KeyId, Value>;

// The writes of one value that could explain a read of it, the first of each kind.
struct Writes {
  OperationId aborted = OperationId::none();
  OperationId overwritten = OperationId::none();  // By a transaction that is not aborted.
};

bool is_write(OperationKind kind) {
  return kind == OperationKind::Write || kind == OperationKind::CompareAndSet ||
         kind == OperationKind::Insert;
}

// A write whose value was not recorded may have written this value, so it may explain the read.
void note(const History& history, TransactionId t, OperationId op, Writes& writes) {
  OperationId& slot = history.outcome(t) == Outcome::Aborted ? writes.aborted : writes.overwritten;
  if (slot.is_none()) slot = op;
}

// The first write of each value by each reader.
using OwnWrites = absl::flat_hash_map<std::pair<TransactionId, KeyAndValue>, OperationId>;

FaultyRead explain(const History& history, OperationId read, KeyAndValue seen, const Writes& writes,
                   const OwnWrites& own) {
  const TransactionId reader = history.transaction_of(read);
  if (const auto found = own.find({reader, seen}); found != own.end())
    return {ReadFault::Future, reader, read, found->second};
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
  absl::flat_hash_set<TransactionId> readers;
  OwnWrites own;
  for (const OperationId read : reads) {
    wanted.try_emplace({history.key(read), value_seen(history, read)});
    unknown.try_emplace(history.key(read));
    readers.insert(history.transaction_of(read));
  }
  for (const TransactionId t : history.transactions()) {
    const bool reads_badly = readers.contains(t);
    for (const OperationId op : history.operations(t)) {
      budget.poll("read anomalies");
      if (!is_write(history.kind(op))) continue;
      if (history.value(op).is_unknown()) {
        if (const auto found = unknown.find(history.key(op)); found != unknown.end())
          note(history, t, op, found->second);
      } else if (const auto found = wanted.find({history.key(op), history.value(op)});
                 found != wanted.end()) {
        note(history, t, op, found->second);
        if (reads_badly) own.try_emplace({t, found->first}, op);
      }
    }
  }
  std::vector<FaultyRead> faults;
  faults.reserve(reads.size());
  for (const OperationId read : reads) {
    const KeyAndValue seen{history.key(read), value_seen(history, read)};
    Writes writes = wanted.at(seen);
    if (writes.overwritten.is_none() && writes.aborted.is_none()) writes = unknown.at(seen.first);
    faults.push_back(explain(history, read, seen, writes, own));
  }
  return faults;
}

}  // namespace serval
