#pragma once
// What each transaction read from others and left behind, key by key: the first half of inference. Every
// later step looks at read_write_sets, never at single operations again.
//
//   [r(x,1) w(x,2) r(x,2) w(x,3)]   has one access to x: it read 1 (operation 0) and wrote 3 (operation 3).
//
// A read before any own write of its key is external; of several, the first counts and the others must agree.
// The last write of a key is the version that others may see. Reads that contradict the transaction's own
// operations are faults (the internal-consistency axiom INT of Cerone & Gotsman 2018). O(operations).

#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval {

using VersionId = StrongId<struct VersionTag>;

// Versions 0 .. key_count - 1 are the initial versions of the keys, the others are last writes of
// transactions. Of a list every append that was seen is a version, numbered in the order of the list, and
// what a transaction appended last, unseen, is one.
struct Version {
  TransactionId writer = TransactionId::none();      // none(): the initial version.
  TransactionId overwriter = TransactionId::none();  // Of the next version, where that is known: a register's
                                                     // reader that wrote it, a list's next append.
};

struct Access {
  KeyId key;
  VersionId read = VersionId::none();     // What the external read saw.
  VersionId written = VersionId::none();  // What the transaction left behind.
};

// A read that is wrong whatever order the transactions had.
enum class ReadFault : std::uint8_t {
  ThinAir,         // nobody wrote the value
  Aborted,         // only an aborted transaction wrote it
  Intermediate,    // its writer overwrote it in the same transaction
  Future,          // the reader itself writes it later
  NotMyLastWrite,  // the reader had overwritten it itself
  NotMyOwnWrite,   // the reader had written the key, and saw another's value
  NonRepeatable,   // the reader had seen another value of the key
  Duplicate,       // a list that shows an element more often than it was appended to stay
  Disordered,      // a list that shows an append of a transaction without those that came before it there
};

struct FaultyRead {
  ReadFault fault;
  TransactionId reader;
  OperationId read;
  OperationId source =
      OperationId::none();  // The write seen or the operation contradicted; none() where nobody wrote it.
};

// An external read of a key that its transaction had already read, once the two had seen different versions.
// The levels that allow non-repeatable reads count what such a read saw, too.
struct RepeatedRead {
  TransactionId transaction;
  OperationId read;
  KeyId key;
  VersionId version = VersionId::none();  // What it saw.
};

struct ReadWriteSets {
  std::vector<std::uint32_t> first_access{0};  // By transaction, one more than transactions.
  std::vector<Access> accesses;
  std::vector<OperationId> read_operation;  // By access: the external read, none() without one.
  std::vector<Version> versions;
  std::vector<OperationId>
      write_operation;  // By version: the write that made it, none() for initial versions.
  std::vector<FaultyRead> internal_faults;   // Of committed and indeterminate transactions.
  std::vector<RepeatedRead> repeated_reads;  // Likewise; in the order of the history, versions still unset.
  // By key: somebody deletes it or writes initial_value() to it, so that a read of nil or of that value need
  // not have seen the initial version.
  std::vector<bool> rewrites_initial;
  // The first operation without a meaning here (predicates; keys that are both list and register), and how
  // many there are.
  OperationId unsupported = OperationId::none();
  std::uint64_t unsupported_count = 0;

  std::span<const Access> of(TransactionId t) const {
    return std::span(accesses).subspan(first_access[t.index],
                                       first_access[t.index + 1] - first_access[t.index]);
  }
  // Null without one. O(log accesses of t), once index_large_transactions() has run.
  const Access* access(TransactionId t, KeyId key) const;
  void index_large_transactions();

  // Transactions with so many accesses that going through them for each key would take long.
  static constexpr std::size_t kMany = 64;
  struct Large {
    TransactionId transaction;
    std::vector<std::uint32_t> by_key;  // Indices into `accesses`.
  };
  std::vector<Large> large;  // By transaction.
};

struct ListAccesses;  // list_accesses.h

// The sets of every transaction that is not aborted; aborted ones have none. The `read` members are still
// unset: infer_relations (reads_from.h) finds what each external read saw. Accesses to lists come
// after those to registers and are empty as yet; `lists`, empty before, says what happened to them.
ReadWriteSets collect_read_write_sets(const History& history, ListAccesses& lists, Budget& budget);

// The value that the reading half of an operation saw; requires an operation that reads a register. A read
// of an empty list is one of nil.
Value value_seen(const History& history, OperationId op);

}  // namespace serval
