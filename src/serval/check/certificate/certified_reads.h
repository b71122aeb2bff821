#pragma once
// What every operation saw by the certificate, whether its answer fits, and the dependencies that follow
// (Adya's, of items and of predicates).
//
//   CertifiedReads reads(history, versions, sights, matching, budget);
//   reads.faults()                                       // answers that do not fit: no order mends them
//   reads.item_dependencies(t, true, emit);              // emit(Edge)
//   reads.predicate_dependencies(t, emit);
//
// Items: a read depends on whoever installed the version that it saw, and comes before whoever
// installed the next; the installers of a key's versions follow each other. The rows that a predicate
// operation returned, and those that an aggregate computed with, are reads of items, too.
//
// Predicates: of all versions that change what a predicate matches (Adya 1999, section 4.3) only the
// nearest count, the last at or before what was seen and the first after, because the installers of a
// key's versions are chained anyway.
//
// A value that several versions have, as "no row" often is, does not say which of them was read. Where the
// certificate does not either, one is guessed: an order that keeps the guess is an order; what contradicts
// only the guess proves nothing.
//
// An update or a delete by a predicate locks the rows that it changes and looks at them again, so of
// these it saw the version that it replaced, and of rows that matched but were left alone the first
// later version that does not match, if there is one. Where a level asks for one snapshot, that is
// checked apart (snapshot_faults).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serval/check/certificate/certified_versions.h"
#include "serval/check/certificate/matching.h"
#include "serval/check/certificate/version_sights.h"
#include "serval/check/verdict.h"

namespace serval {

class CertifiedReads {
 public:
  CertifiedReads(const History& history, const CertifiedVersions& versions, const VersionSights& sights,
                 const Matching& matching, Budget& budget);

  const std::string& problem() const noexcept { return problem_; }  // Empty: none.
  const std::vector<Anomaly>& faults() const noexcept { return faults_; }
  // Reads and overwritten versions that the one snapshot of their transaction does not show, where the
  // certificate gives it one. A row that is inserted where another was deleted is a new one: that it
  // could be is told by a unique index, not by the snapshot.
  std::vector<Anomaly> snapshot_faults(Budget& budget) const;

  // A predicate operation whose predicate or version set was not recorded; none(): there is none. What it
  // depends on is not known, and left out.
  OperationId unseen() const noexcept { return unseen_; }
  // Some reads were guessed, one of them is this.
  OperationId guessed() const noexcept { return guessed_; }

  // Those that `t` takes part in as the reader, or as the later of two writers.
  template <class Emit>
  void item_dependencies(TransactionId t, bool with_guesses, Emit&& emit) const {
    for (const CertifiedVersions::Installed& own : versions_.installed_by(t)) {
      const auto versions = versions_.of(own.key);
      const CertifiedVersions::Version &before = versions[own.position - 1], &after = versions[own.position];
      if (!before.installer.is_none())
        emit(Edge{before.installer, t, EdgeKind::WriteWrite, own.key, before.write, after.write});
    }
    for (std::uint32_t i = first_read_[t.index]; i < first_read_[t.index + 1]; ++i) {
      const Read& read = reads_[i];
      if (read.guessed && !with_guesses) continue;
      const auto versions = versions_.of(read.key);
      const CertifiedVersions::Version& seen = versions[read.position];
      if (!seen.installer.is_none())
        emit(Edge{seen.installer, t, EdgeKind::WriteRead, read.key, seen.write, read.op});
      if (read.position + 1 == versions.size()) continue;
      const CertifiedVersions::Version& next = versions[read.position + 1];
      if (next.installer != t)
        emit(Edge{t, next.installer, EdgeKind::ReadWrite, read.key, read.op, next.write});
    }
  }

  template <class Emit>
  void predicate_dependencies(TransactionId t, Emit&& emit) const {
    for (const OperationId op : history_.operations(t)) {
      if (!is_predicate(history_.kind(op))) continue;
      for_each_seen(t, op, [&](std::size_t condition, KeyId key, std::uint32_t position) {
        const Matching::Around around = matching_.around(condition, key, position);
        const bool changed = around.at_or_before != Matching::kNone && around.at_or_before > 0;
        if (changed) emit_read(t, op, key, around.at_or_before, emit);
        if (around.after != Matching::kNone) emit_missed(t, op, key, around.after, emit);
      });
    }
  }

  // Only those that an order of the transactions contradicts in which a key's versions stand in their
  // order: stands_after(u) and stands_before(u) tell where `u` stands to `t`. Of most keys what was
  // seen stands before `t` and the next version after it, and nothing else need be looked at.
  template <class After, class Before, class Emit>
  void contradicting_dependencies(TransactionId t, After&& stands_after, Before&& stands_before,
                                  Emit&& emit) const {
    for (const OperationId op : history_.operations(t)) {
      if (!is_predicate(history_.kind(op))) continue;
      for_each_seen(t, op, [&](std::size_t condition, KeyId key, std::uint32_t position) {
        const auto versions = versions_.of(key);
        const auto changes = [&](std::uint32_t at) {
          return matching_.matches(condition, key, at) != matching_.matches(condition, key, at - 1);
        };
        for (std::uint32_t at = position; at > 0 && stands_after(versions[at].installer); --at)
          if (changes(at)) {
            emit_read(t, op, key, at, emit);
            break;
          }
        for (std::uint32_t at = position + 1; at < versions.size() && stands_before(versions[at].installer);
             ++at)
          if (changes(at)) {
            emit_missed(t, op, key, at, emit);
            break;
          }
      });
    }
  }

 private:
  friend class CertifiedReader;

  // An item that a transaction read, and which version of it.
  struct Read {
    OperationId op;
    KeyId key;
    std::uint32_t position = 0;
    bool guessed = false;
  };

  // The predicate saw what the version at the position changed; or missed it.
  template <class Emit>
  void emit_read(TransactionId t, OperationId op, KeyId key, std::uint32_t position, Emit& emit) const {
    const CertifiedVersions::Version& change = versions_.of(key)[position];
    if (change.installer != t)
      emit(Edge{.from = change.installer,
                .to = t,
                .kind = EdgeKind::WriteRead,
                .key = key,
                .from_op = change.write,
                .to_op = op,
                .of_predicate = true});
  }
  template <class Emit>
  void emit_missed(TransactionId t, OperationId op, KeyId key, std::uint32_t position, Emit& emit) const {
    const CertifiedVersions::Version& change = versions_.of(key)[position];
    if (change.installer != t)
      emit(Edge{.from = t,
                .to = change.installer,
                .kind = EdgeKind::ReadWrite,
                .key = key,
                .from_op = op,
                .to_op = change.write,
                .of_predicate = true});
  }

  // Every key that the operation's predicate ranges over and that its transaction had not written before,
  // with the version that it saw: visit(condition, key, position).
  template <class Visit>
  void for_each_seen(TransactionId t, OperationId op, Visit&& visit) const {
    const VersionSet* set = history_.certificate().version_set(op);
    const std::optional<std::size_t> condition = matching_.condition_of(op);
    if (set == nullptr || !condition) return;
    const std::vector<KeyId> own = written_before(t, op);
    const bool locks = history_.kind(op) != OperationKind::PredicateRead &&
                       !std::holds_alternative<std::vector<SeenVersion>>(set->seen);
    const std::span<const Row> changed = locks ? history_.rows(op) : std::span<const Row>();
    matching_.for_each_key(*condition, [&](KeyId key) {
      if (!own.empty() && std::ranges::find(own, key) != own.end()) return;
      std::uint32_t position = sights_.position(*set, t, key);
      if (locks) position = locked_position(*condition, t, changed, key, position);
      visit(*condition, key, position);
    });
  }
  std::vector<KeyId> written_before(TransactionId t, OperationId op) const;
  std::uint32_t locked_position(std::size_t condition, TransactionId t, std::span<const Row> changed,
                                KeyId key, std::uint32_t position) const;

  const History& history_;
  const CertifiedVersions& versions_;
  const VersionSights& sights_;
  const Matching& matching_;
  std::string problem_;
  std::vector<Anomaly> faults_;
  OperationId guessed_ = OperationId::none();
  OperationId unseen_ = OperationId::none();
  std::vector<std::uint32_t> first_read_;  // By transaction, one more than transactions.
  std::vector<Read> reads_;
};

}  // namespace serval
