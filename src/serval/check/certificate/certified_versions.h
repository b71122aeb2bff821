#pragma once
// The versions of every key in the order that the certificate gives: the initial one, then one per
// transaction that left a version behind.
//
//   const CertifiedVersions versions(history, budget);
//   if (versions.problem().empty())
//     versions.of(x)[2].installer            // the writer of the second version of x after the initial one
//
// The order comes from the certificate's complete orders, or from the commit timestamps if it says that
// these order the versions, or is unique because the key has one writer. If none of these applies, or if
// certificate and history contradict each other about who wrote what, problem() says so, and the other
// members must not be used.
//
// The initial version of a key holds the history's initial value; nil means that there is no row yet. A
// key whose first version was inserted had no row before, and a key without versions has one only if a
// transaction found it (initial_rows.h).
//
// An indeterminate transaction participates exactly if the certificate lists its writes. If only commit
// timestamps order the versions, one without a timestamp may have committed nevertheless: unplaced().

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval {

class CertifiedVersions {
 public:
  struct Version {
    TransactionId installer = TransactionId::none();  // none(): the initial version.
    OperationId write = OperationId::none();          // Its last write of the key.
    Value value;                                      // Nil: the key has no row.
  };
  // The position of a transaction's version in the key's order.
  struct Installed {
    KeyId key;
    std::uint32_t position = 0;
  };

  CertifiedVersions(const History& history, Budget& budget);

  const std::string& problem() const noexcept { return problem_; }  // Empty if there is none.

  std::span<const Version> of(KeyId key) const {
    return std::span(versions_).subspan(first_[key.index], first_[key.index + 1] - first_[key.index]);
  }
  // All versions, key by key; of(key) is [first(key), end(key)).
  std::span<const Version> all() const noexcept { return versions_; }
  std::uint32_t first(KeyId key) const { return first_[key.index]; }
  std::uint32_t end(KeyId key) const { return first_[key.index + 1]; }
  std::span<const Installed> installed_by(TransactionId t) const {
    return std::span(installed_)
        .subspan(first_installed_[t.index], first_installed_[t.index + 1] - first_installed_[t.index]);
  }
  // Such a transaction, or none(). With one, what contradicts the certificate may be its effect.
  TransactionId unplaced() const noexcept { return unplaced_; }

  bool takes_part(TransactionId t) const { return takes_part_[t.index]; }
  const std::vector<bool>& participants() const noexcept { return takes_part_; }

 private:
  friend class VersionCollector;

  std::string problem_;
  TransactionId unplaced_ = TransactionId::none();
  std::vector<std::uint32_t> first_;  // By key, plus a sentinel.
  std::vector<Version> versions_;
  std::vector<std::uint32_t> first_installed_;  // By transaction, plus a sentinel.
  std::vector<Installed> installed_;
  std::vector<bool> takes_part_;
};

// The writes of an operation: each key once, with the new value (nil for a delete). Excludes appends to
// lists.
template <class Visit>
void for_each_write(const History& history, OperationId op, Visit&& visit) {
  switch (history.kind(op)) {
    case OperationKind::Write:
    case OperationKind::Insert:
    case OperationKind::CompareAndSet:
      visit(history.key(op), history.value(op));
      break;
    case OperationKind::Delete:
      visit(history.key(op), Value::nil());
      break;
    case OperationKind::PredicateUpdate:
      for (const Row& row : history.rows(op)) visit(row.key, row.value);
      break;
    case OperationKind::PredicateDelete:
      for (const Row& row : history.rows(op)) visit(row.key, Value::nil());
      break;
    default:
      break;
  }
}

}  // namespace serval
