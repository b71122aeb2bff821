#include "serval/inference/reads_from.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/base/equal_span.h"
#include "serval/inference/changed_answers.h"
#include "serval/inference/grouped.h"
#include "serval/inference/list_versions.h"
#include "serval/inference/version_table.h"

namespace serval {
namespace {

using KeyAndValue = std::pair<KeyId, Value>;

// The writes of one value that could explain a read of it, the first of each kind.
struct Writes {
  OperationId aborted = OperationId::none();
  OperationId overwritten = OperationId::none();  // By a transaction that is not aborted.
};

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

// Classifies reads that no committed transaction's last write explains: the reader's own later write, an
// aborted write, an overwritten one, or a value that nobody wrote. One pass over the history for all of
// them; runs only if there are such reads.
//
// `reads` are external reads whose value is neither the key's initial version nor another transaction's
// last write. Returns one fault for each, in the same order.
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
      if (!writes_whole(history.kind(op))) continue;
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

class ReadsFrom {
 public:
  ReadsFrom(const History& history, Budget& budget)
      : history_(history), budget_(budget), sets_(collect_read_write_sets(history, lists_, budget)) {
    if (lists_.any()) longest_reads_.emplace(history, lists_, budget);
  }

  Relations run() {
    resolve_reads();
    find_participants();
    collect_faults();
    find_overwriters();
    place_blind_writes();
    relations_.read_write_sets = std::move(sets_);
    if (longest_reads_) {
      const auto lists = infer_list_versions(history_, lists_, *longest_reads_, relations_, budget_);
      later_.insert(later_.end(), lists.begin(), lists.end());
    }
    if (!later_.empty())
      relations_.later =
          grouped<TransactionId>(relations_.read_write_sets.versions.size(), [&](auto&& visit) {
            for (const auto& [version, writer] : later_) visit(version.index, writer);
          });
    return std::move(relations_);
  }

 private:
  static constexpr std::size_t kAhead = 16;  // Probes in flight; more did not help on the machines tried.

  VersionTable index_versions() {
    const std::size_t first = history_.key_count(), last = sets_.versions.size();
    expects(last < 0x7FFFFFFFu, "fewer than 2^31 - 1 versions");
    VersionTable table(last - first);
    const auto key_of = [&](std::size_t v) { return history_.key(sets_.write_operation[v]); };
    const auto value_of = [&](std::size_t v) { return history_.value(sets_.write_operation[v]); };
    for (std::size_t v = first; v < last; ++v) {
      budget_.poll("index of versions");
      if (v + kAhead < last) table.prefetch(key_of(v + kAhead), value_of(v + kAhead));
      table.insert(key_of(v), value_of(v), VersionId{static_cast<std::uint32_t>(v)});
    }
    return table;
  }

  void resolve_reads() {
    const VersionTable table = index_versions();
    const std::vector<OperationId>& reads = sets_.read_operation;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      budget_.poll("reads-from");
      if (i + kAhead < reads.size() && !reads[i + kAhead].is_none())
        table.prefetch(sets_.accesses[i + kAhead].key, value_seen(history_, reads[i + kAhead]));
      if (!reads[i].is_none()) sets_.accesses[i].read = resolve(sets_.accesses[i], reads[i], table);
    }
    for (RepeatedRead& again : sets_.repeated_reads) {
      if (!is_list(again.key))
        again.version = resolve(*sets_.access(again.transaction, again.key), again.read, table);
    }
  }

  // The version that the read saw; none() if not certain.
  VersionId resolve(const Access& access, OperationId read, const VersionTable& table) {
    const Value value = value_seen(history_, read);
    const bool initial = value.is_nil() || value == history_.initial_value();
    if (initial && !sets_.rewrites_initial[access.key.index]) return VersionId{access.key.index};
    const VersionTable::Hit hit = table.find(access.key, value);
    const bool by_others = hit.ambiguous || (!hit.version.is_none() && hit.version != access.written);
    if (by_others && !hit.ambiguous && !initial) [[likely]]
      return hit.version;
    if (initial && !by_others) return VersionId{access.key.index};
    (by_others ? ambiguous_ : unexplained_).push_back(read);
    return VersionId::none();
  }

  bool is_list(KeyId key) const { return lists_.any() && lists_.key_kinds[key.index] == KeyKind::List; }

  // Committed transactions, and all indeterminate ones that they read from, directly or indirectly.
  void find_participants() {
    std::vector<bool>& takes_part = relations_.takes_part;
    takes_part.assign(history_.transaction_count(), false);
    bool any_indeterminate = false;
    for (const TransactionId t : history_.transactions()) {
      takes_part[t.index] = history_.outcome(t) == Outcome::Committed;
      any_indeterminate = any_indeterminate || history_.outcome(t) == Outcome::Indeterminate;
    }
    if (!any_indeterminate && !longest_reads_) return;
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("participants");
      if (history_.outcome(t) == Outcome::Committed) visit_sources(t);
    }
    while (!indeterminate_found_.empty()) {
      const TransactionId t = indeterminate_found_.back();
      indeterminate_found_.pop_back();
      visit_sources(t);
    }
  }

  void visit_sources(TransactionId reader) {
    for (const Access& access : sets_.of(reader)) visit_version(access.read);
    for (const RepeatedRead& again : repeated_by(reader)) visit_version(again.version);
    if (longest_reads_)
      longest_reads_->observe(reader, [this](TransactionId writer) { visit_writer(writer); });
  }
  void visit_version(VersionId version) {
    if (!version.is_none()) visit_writer(sets_.versions[version.index].writer);
  }
  void visit_writer(TransactionId writer) {
    if (writer.is_none() || relations_.takes_part[writer.index] ||
        history_.outcome(writer) != Outcome::Indeterminate)
      return;
    relations_.takes_part[writer.index] = true;
    indeterminate_found_.push_back(writer);
  }

  std::span<const RepeatedRead> repeated_by(TransactionId t) const {
    return equal_span(sets_.repeated_reads, t, &RepeatedRead::transaction);
  }

  void collect_faults() {
    const auto idle = [&](OperationId read) {
      return !relations_.takes_part[history_.transaction_of(read).index];
    };
    std::erase_if(ambiguous_, idle);
    std::erase_if(unexplained_, idle);
    relations_.ambiguous_reads = std::move(ambiguous_);
    relations_.faults = explain_reads(history_, unexplained_, budget_);
    for (const FaultyRead& fault : sets_.internal_faults) {
      if (relations_.takes_part[fault.reader.index]) relations_.faults.push_back(fault);
    }
    for (const FaultyRead& fault : changed_answers(history_, budget_)) relations_.faults.push_back(fault);
    relations_.repeated_inserts = repeated_inserts(history_, lists_.key_kinds);
    // If a repeated read has another fault too, that fault comes first.
    std::ranges::stable_sort(relations_.faults, {}, &FaultyRead::read);
    for (const RepeatedRead& again : sets_.repeated_reads) {
      if (relations_.takes_part[again.transaction.index] && !again.version.is_none())
        relations_.repeated_reads.push_back(again);
    }
  }

  void find_overwriters() {
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("version order");
      if (!relations_.takes_part[t.index]) continue;
      for (const Access& access : sets_.of(t)) {
        if (access.written.is_none()) continue;
        if (access.read.is_none()) {
          blind_.push_back({t, access});
          continue;
        }
        TransactionId& overwriter = sets_.versions[access.read.index].overwriter;
        if (overwriter.is_none()) {
          overwriter = t;
        } else {
          relations_.divergences.push_back({access.read, access.key, overwriter, t});
        }
      }
    }
  }

  // The initial version precedes every write, so a single write without a read is its direct overwriter;
  // several such writes all come later than it.
  void place_blind_writes() {
    for (const auto& [t, access] : blind_) {
      TransactionId& overwriter = sets_.versions[access.key.index].overwriter;
      if (overwriter.is_none()) {
        overwriter = t;
      } else {
        relations_.open_writes.push_back(sets_.write_operation[access.written.index]);
        later_.emplace_back(VersionId{access.key.index}, t);
      }
    }
  }

  const History& history_;
  Budget& budget_;
  ListAccesses lists_;
  ReadWriteSets sets_;
  std::optional<LongestReads> longest_reads_;  // If there are lists.
  Relations relations_;
  std::vector<TransactionId> indeterminate_found_;
  std::vector<OperationId> ambiguous_;
  std::vector<OperationId> unexplained_;  // External reads of values that nobody else left behind.
  struct BlindWrite {
    TransactionId transaction;
    Access access;
  };
  std::vector<BlindWrite> blind_;
  std::vector<LaterWriter> later_;
};

}  // namespace

Relations infer_relations(const History& history, Budget& budget) { return ReadsFrom(history, budget).run(); }

}  // namespace serval
