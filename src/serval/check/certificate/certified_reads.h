#pragma once
// What every operation saw according to the certificate, whether its response is consistent with that,
// and the resulting dependencies (Adya's, of items and of predicates).
//
//   CertifiedReads reads(history, versions, visibility, matching, budget);
//   reads.faults()                                       // inconsistent responses: wrong in every order
//   reads.item_dependencies(t, Guesses::Likely, emit);   // emit(Edge)
//   reads.predicate_dependencies(t, emit);
//
// Items: a read depends on the transaction that installed the version it saw, and precedes the one that
// installed the next version; the installers of a key's versions follow each other. The rows that a
// predicate operation returned, and those that an aggregate used, are item reads too.
//
// Predicates: of all versions that change what a predicate matches (Adya 1999, section 4.3), only the
// nearest are needed, that is, the last one at or before the version seen and the first one after it,
// because the installers of a key's versions are already ordered.
//
// If several versions have the same value, as is common for "no row", the value does not determine which
// of them was read. If the certificate does not either, one is guessed. An order that respects the guess
// is valid; a contradiction with the guess alone proves nothing. If only write and read dependencies
// count, as at read committed, the earliest version imposes the least: its installer precedes those of
// the others.
//
// A predicate update or delete locks the rows that it changes and examines them again. So for these rows
// it saw the version that it replaced, and for matching rows that it left alone it saw the first later
// version that does not match, or that is a new row after a delete, if there is one. Levels that require
// one snapshot check this separately (snapshot_faults).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serval/check/certificate/certified_versions.h"
#include "serval/check/certificate/matching.h"
#include "serval/check/certificate/misplaced_writers.h"
#include "serval/check/certificate/version_visibility.h"
#include "serval/evidence/verdict.h"

namespace serval {

// The version assumed for an uncertain read: the likely one, the earliest with its value, or none.
enum class Guesses : std::uint8_t { Likely, Earliest, None };

class CertifiedReads {
 public:
  CertifiedReads(const History& history, const CertifiedVersions& versions,
                 const VersionVisibility& visibility, const Matching& matching, Budget& budget);

  const std::string& problem() const noexcept { return problem_; }  // Empty if there is none.
  const std::vector<Anomaly>& faults() const noexcept { return faults_; }
  // Reads and overwritten versions that are not visible to their transaction's snapshot, if the
  // certificate gives it a single one. A row inserted after a delete of the same key is a new object: a
  // unique index, not the snapshot, decides whether the insert is possible.
  std::vector<Anomaly> snapshot_faults(Budget& budget) const;

  // A predicate operation whose predicate or version set was not recorded; none() if there is none. Its
  // dependencies are unknown and omitted.
  OperationId unseen() const noexcept { return unseen_; }
  // An update or delete that left alone a row which had meanwhile been deleted and inserted again, which
  // only levels with a state per statement allow; none() if there is none.
  OperationId passed_by() const noexcept { return passed_by_; }
  // An example of a read whose version was guessed; none() if there is none.
  OperationId guessed() const noexcept { return guessed_; }

  // Those of `t` as the reader, or as the later of two writers.
  template <class Emit>
  void item_dependencies(TransactionId t, Guesses guesses, Emit&& emit) const {
    for (const CertifiedVersions::Installed& own : versions_.installed_by(t)) {
      const auto versions = versions_.of(own.key);
      const CertifiedVersions::Version &before = versions[own.position - 1], &after = versions[own.position];
      if (!before.installer.is_none())
        emit(Edge{before.installer, t, EdgeKind::WriteWrite, own.key, before.write, after.write});
    }
    for (std::uint32_t i = first_read_[t.index]; i < first_read_[t.index + 1]; ++i) {
      const Read& read = reads_[i];
      if (read.guessed && guesses == Guesses::None) continue;
      const std::uint32_t position =
          read.guessed && guesses == Guesses::Earliest ? earliest_alike(t, read) : read.position;
      const auto versions = versions_.of(read.key);
      const CertifiedVersions::Version& seen = versions[position];
      if (!seen.installer.is_none())
        emit(Edge{seen.installer, t, EdgeKind::WriteRead, read.key, seen.write, read.op});
      if (position + 1 == versions.size()) continue;
      const CertifiedVersions::Version& next = versions[position + 1];
      if (next.installer != t)
        emit(Edge{t, next.installer, EdgeKind::ReadWrite, read.key, read.op, next.write});
    }
  }

  template <class Emit>
  void predicate_dependencies(TransactionId t, Emit&& emit) const {
    for (const OperationId op : history_.operations(t)) {
      const std::optional<Asked> asked = asked_by(t, op);
      if (!asked) continue;
      const std::vector<KeyId> own = written_before(t, op);
      matching_.for_each_key(asked->condition, [&](KeyId key) {
        if (std::ranges::binary_search(own, key)) return;
        const Matching::Around around = matching_.around(asked->condition, key, seen_position(*asked, key));
        const bool changed = around.at_or_before != Matching::kNone && around.at_or_before > 0;
        if (changed) emit_read(t, op, key, around.at_or_before, emit);
        if (around.after != Matching::kNone) emit_missed(t, op, key, around.after, emit);
      });
    }
  }

  // Only the dependencies that contradict an order in which `t` is at `place` and a key's versions are
  // in version order. Examines only the keys written by a writer on the wrong side of what was seen, if
  // these are few.
  template <class PlaceOf, class Emit>
  void contradicting_dependencies(TransactionId t, Vertex place, const PlaceOf& place_of,
                                  const MisplacedWriters& misplaced, Emit&& emit) const {
    std::vector<KeyId> suspects;
    for (const OperationId op : history_.operations(t)) {
      const std::optional<Asked> asked = asked_by(t, op);
      if (!asked) continue;
      const bool few = find_suspects(*asked, place, misplaced, suspects);
      if (few && suspects.empty()) continue;
      const std::vector<KeyId> own = written_before(t, op);
      const auto look = [&](KeyId key) {
        if (!std::ranges::binary_search(own, key)) emit_contradicting(*asked, key, place, place_of, emit);
      };
      if (few)
        std::ranges::for_each(suspects, look);
      else
        matching_.for_each_key(asked->condition, look);
    }
  }

 private:
  friend class CertifiedReader;

  // An item that a transaction read, and its version.
  struct Read {
    OperationId op;
    KeyId key;
    std::uint32_t position = 0;
    bool guessed = false;
  };

  // A predicate operation whose predicate and version set are known.
  struct Asked {
    TransactionId t;
    OperationId op;
    const VersionSet* set = nullptr;
    std::size_t condition = 0;
    std::span<const Read> again;  // Rows examined again, at a version outside the set.
  };

  bool is_initial(Value value) const;
  bool holds_value(KeyId key, std::uint32_t position, Value value) const;
  std::uint32_t earliest_alike(TransactionId t, const Read& read) const;

  // The predicate saw, or missed, what the version at the position changed.
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

  template <class PlaceOf, class Emit>
  void emit_contradicting(const Asked& asked, KeyId key, Vertex place, const PlaceOf& place_of,
                          Emit& emit) const {
    const auto versions = versions_.of(key);
    const std::uint32_t position = seen_position(asked, key);
    const auto changes = [&](std::uint32_t at) {
      return matching_.matches(asked.condition, key, at) != matching_.matches(asked.condition, key, at - 1);
    };
    for (std::uint32_t at = position; at > 0 && place_of(versions[at].installer) > place; --at)
      if (changes(at)) {
        emit_read(asked.t, asked.op, key, at, emit);
        break;
      }
    for (std::uint32_t at = position + 1; at < versions.size() && place_of(versions[at].installer) < place;
         ++at)
      if (changes(at)) {
        emit_missed(asked.t, asked.op, key, at, emit);
        break;
      }
  }

  std::optional<Asked> asked_by(TransactionId t, OperationId op) const;
  // The version it saw of a key that its transaction had not written before.
  std::uint32_t seen_position(const Asked& asked, KeyId key) const {
    for (const Read& again : asked.again)
      if (again.key == key) return again.position;
    return visibility_.position(*asked.set, asked.t, key);
  }
  // The keys that a misplaced writer has written, ascending. False if there are many.
  bool find_suspects(const Asked& asked, Vertex place, const MisplacedWriters& misplaced,
                     std::vector<KeyId>& suspects) const;
  std::vector<KeyId> written_before(TransactionId t, OperationId op) const;  // Ascending.

  const History& history_;
  const CertifiedVersions& versions_;
  const VersionVisibility& visibility_;
  const Matching& matching_;
  std::string problem_;
  std::vector<Anomaly> faults_;
  OperationId guessed_ = OperationId::none();
  OperationId unseen_ = OperationId::none();
  OperationId passed_by_ = OperationId::none();
  std::vector<std::uint32_t> first_read_;  // By transaction, plus a sentinel.
  std::vector<Read> reads_;
  std::vector<Read> again_;  // By operation: rows that an update saw differently when it locked them.
};

}  // namespace serval
