#pragma once
// What each transaction read from others and what it left behind, key by key: the first half of
// inference. All later steps use these sets instead of single operations.
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

// Versions 0 .. key_count - 1 are the initial versions of the keys; the others are last writes of
// transactions. In a list, every append that was seen is a version, numbered in list order, and so is
// each transaction's last append if it was not seen.
struct Version {
  TransactionId writer = TransactionId::none();  // none(): the initial version.
  // Writer of the next version, if known: for registers, a reader of this version that wrote the key;
  // for lists, the next append.
  TransactionId overwriter = TransactionId::none();
};

struct Access {
  KeyId key;
  VersionId read = VersionId::none();     // The version that the external read saw.
  VersionId written = VersionId::none();  // The version that the transaction left behind.
};

// A read that is wrong in every order of the transactions.
enum class ReadFault : std::uint8_t {
  ThinAir,         // nobody wrote the value
  Aborted,         // only an aborted transaction wrote it
  Intermediate,    // its writer overwrote it in the same transaction
  Future,          // the reader itself writes it later
  NotMyLastWrite,  // the reader had overwritten it itself
  NotMyOwnWrite,   // the reader had written the key but saw another value
  NonRepeatable,   // the reader had read another value of the key
  Phantom,         // the reader had got other rows for the same predicate
  Duplicate,       // a list that shows an element more often than non-aborted transactions appended it
  Disordered,      // a list that shows an append of a transaction without that transaction's earlier ones
};

struct FaultyRead {
  ReadFault fault;
  TransactionId reader;
  OperationId read;
  OperationId source =
      OperationId::none();  // The write seen or the operation contradicted; none() if nobody wrote it.
};

// A repeated external read of a key by a transaction whose reads of it saw different versions. The
// levels that allow non-repeatable reads also take into account what such a read saw.
struct RepeatedRead {
  TransactionId transaction;
  OperationId read;
  KeyId key;
  VersionId version = VersionId::none();  // What it saw.
};

struct ReadWriteSets {
  std::vector<std::uint32_t> first_access{0};  // By transaction, plus a sentinel.
  std::vector<Access> accesses;
  std::vector<OperationId> read_operation;  // By access: the external read, or none().
  std::vector<Version> versions;
  std::vector<OperationId>
      write_operation;  // By version: the write that installed it, none() for initial versions.
  std::vector<FaultyRead> internal_faults;   // Of committed and indeterminate transactions.
  std::vector<RepeatedRead> repeated_reads;  // Likewise; in history order, versions not set yet.
  // By key: some transaction deletes it or writes initial_value() to it, so a read of nil or of that
  // value need not have seen the initial version.
  std::vector<bool> rewrites_initial;
  // The first operation that is not supported (predicates; keys that are both list and register), and
  // the number of such operations.
  OperationId unsupported = OperationId::none();
  std::uint64_t unsupported_count = 0;

  std::span<const Access> of(TransactionId t) const {
    return std::span(accesses).subspan(first_access[t.index],
                                       first_access[t.index + 1] - first_access[t.index]);
  }
  // The external read of one of `accesses`, or none().
  OperationId read_of(const Access& access) const {
    return read_operation[static_cast<std::size_t>(&access - accesses.data())];
  }
  // With a million transactions every version is a cache miss; prefetches those of the accesses that
  // follow this one.
  void prefetch_versions_after(const Access& access) const {
    constexpr std::ptrdiff_t kAhead = 32;
    if (accesses.data() + accesses.size() - &access <= kAhead) return;
    const VersionId read = (&access + kAhead)->read;
    if (!read.is_none()) __builtin_prefetch(&versions[read.index]);
  }
  // Null if there is none. O(log accesses of t) after index_large_transactions().
  const Access* access(TransactionId t, KeyId key) const;
  void index_large_transactions();

  // Transactions with so many accesses that a linear search per key would be slow.
  static constexpr std::size_t kMany = 64;
  struct Large {
    TransactionId transaction;
    std::vector<std::uint32_t> by_key;  // Indices into `accesses`.
  };
  std::vector<Large> large;  // By transaction.
};

struct ListAccesses;  // list_accesses.h

// The sets of every transaction that is not aborted; aborted ones have none. The `read` members are not
// set yet: infer_relations (reads_from.h) finds what each external read saw. Accesses to lists come
// after those to registers and are still empty; `lists`, which must be empty, receives what happened to
// them.
ReadWriteSets collect_read_write_sets(const History& history, ListAccesses& lists, Budget& budget);

// The value that the reading part of an operation saw; requires an operation that reads a register. A
// read of an empty list counts as a read of nil.
Value value_seen(const History& history, OperationId op);

}  // namespace serval
