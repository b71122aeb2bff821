#pragma once
// The keys whose version order the reads leave open, with everything written to them and read from them:
// what remains to be decided once everything certain is in the dependency graph.
//
//   s1: [w(x,1)]  s2: [w(x,2)]  s3: [r(x,1)]      x is open: 1 and 2 may come in either order
//
// Every open question has one form: T3 read what T1 wrote, and T2 wrote the key as well. Then T2
// precedes T1, or T3 precedes T2. At snapshot isolation also: of two writers of a key, one is visible to
// the other. Appends that nobody saw follow those that somebody saw, so for lists only they are open,
// and only to the second question.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/jagged.h"
#include "serval/check/polygraph/chains.h"
#include "serval/inference/reads_from.h"

namespace serval {

struct OpenKeys {
  static constexpr std::uint32_t kInitial = 0xFFFFFFFFu;  // Instead of a write: the initial version.
  static constexpr std::uint32_t kClosed = 0xFFFFFFFFu;
  static constexpr std::uint32_t kNothing = 0xFFFFFFFEu;

  struct Write {
    TransactionId writer;
    VersionId version;
  };
  struct Read {
    TransactionId reader;
    std::uint32_t key;   // Index into keys.
    std::uint32_t seen;  // Index into writes.
  };
  // A read of a value that several transactions left behind. All reads of one value share the list of
  // these.
  struct ManySourced {
    TransactionId reader;
    OperationId operation;
    std::uint32_t key;
    std::uint32_t list;  // Index into source_lists.
    // The entry of the list that the reader wrote itself and so did not see, or kNothing.
    std::uint32_t own;
  };
  // The writes of one key by one chain.
  struct Entry {
    std::uint32_t chain;
    std::uint32_t first_write;  // Ends where the next entry begins.
  };

  std::vector<KeyId> keys;
  std::vector<std::uint32_t> index_of_key;    // By key of the history: its index in keys, or kClosed.
  std::vector<std::uint32_t> first_entry{0};  // By key, plus a sentinel.
  std::vector<Entry> entries;                 // Plus a sentinel.
  std::vector<Write> writes;                  // By key, chain and position.
  std::vector<std::uint32_t> positions;       // By write: position in the writer's chain.
  std::vector<std::uint32_t> key_of_write;    // By write.
  std::vector<Read> reads;                    // Certain reads of these writes, by write.
  Jagged<TransactionId> readers;              // By write.
  std::vector<Read> initial_reads;            // Certain reads of initial versions: `seen` is kInitial.
  std::vector<ManySourced> many_sourced;      // By reader.
  Jagged<std::uint32_t> source_lists;         // Indices into writes, or kInitial; ascending.
  // Some read may have seen an indeterminate transaction that nobody else saw: a contradiction without
  // that transaction may not exist with it.
  bool has_optional_sources = false;

  std::span<const Entry> entries_of(std::uint32_t key) const {
    return std::span(entries).subspan(first_entry[key], first_entry[key + 1] - first_entry[key]);
  }
  std::uint32_t end_of(const Entry& entry) const { return (&entry + 1)->first_write; }
  // The last write of an entry whose position in the chain is below `limit`; kInitial if there is none.
  std::uint32_t last_below(const Entry& entry, std::uint32_t limit) const {
    std::uint32_t first = entry.first_write;
    // Branch-free binary search: the branches would be unpredictable.
    for (std::uint32_t size = end_of(entry) - first; size > 1;) {
      const std::uint32_t half = size / 2;
      first = positions[first + half] < limit ? first + half : first;
      size -= half;
    }
    return positions[first] < limit ? first : kInitial;
  }
  // Whether a read may have seen a write, or kInitial.
  bool is_source(const ManySourced& read, std::uint32_t write) const {
    const std::span<const std::uint32_t> all = source_lists[read.list];
    return write != read.own && std::binary_search(all.begin(), all.end(), write);
  }
  // Everything that it may have seen, ascending.
  std::vector<std::uint32_t> sources_of(const ManySourced& read) const {
    const std::span<const std::uint32_t> all = source_lists[read.list];
    std::vector<std::uint32_t> out(all.begin(), all.end());
    std::erase(out, read.own);
    return out;
  }
  // The first write of a key; its writes end where those of the next key begin.
  std::uint32_t first_write_of(std::uint32_t key) const { return entries[first_entry[key]].first_write; }
};

// `exclusive`: of two writers of a key, one must be visible to the other, so unseen appends count.
OpenKeys find_open_keys(const History& history, const Relations& relations, const Chains& chains,
                        bool exclusive, Budget& budget);

}  // namespace serval
