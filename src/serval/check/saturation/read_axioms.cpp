#include "serval/check/saturation/read_axioms.h"

#include <algorithm>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/inference/external_reads.h"

namespace serval {
namespace {

// Which keys a transaction wrote: a 64-bit signature answers most queries negatively, and an exact
// lookup answers the rest. Transactions with many keys get a sorted index on first use, so that the
// smaller of two sets can always be looked up in the larger one (which bounds the axioms by n^1.5,
// AWDIT).
class WriteSets {
 public:
  WriteSets(std::size_t transactions, const ReadWriteSets& read_write_sets, Budget& budget)
      : sets_(read_write_sets), signatures_(transactions, 0) {
    for (std::uint32_t t = 0; t < transactions; ++t) {
      budget.poll("write sets");
      std::uint64_t bits = 0;
      for (const Access& access : read_write_sets.of(TransactionId{t}))
        if (!access.written.is_none()) bits |= signature(access.key);
      signatures_[t] = bits;
    }
  }

  static std::uint64_t signature(KeyId key) noexcept {
    return std::uint64_t{1} << (key.index * 0x9E3779B1u >> 26);
  }
  // The combined signature of all keys written by t; a key whose bit is not set was not written.
  std::uint64_t signature(TransactionId t) const noexcept { return signatures_[t.index]; }
  void prefetch(TransactionId t) const noexcept { __builtin_prefetch(&signatures_[t.index]); }
  // An upper bound for the number of keys written.
  std::size_t size(TransactionId t) const { return sets_.of(t).size(); }
  bool wrote(TransactionId t, KeyId key) {
    if ((signature(t) & signature(key)) == 0) return false;
    const std::span<const Access> accesses = sets_.of(t);
    if (accesses.size() > kFew) return std::ranges::binary_search(sorted_keys(t), key);
    for (const Access& access : accesses)
      if (access.key == key) return !access.written.is_none();
    return false;
  }

  template <class Visit>
  void for_each_key(TransactionId t, Visit&& visit) const {
    for (const Access& access : sets_.of(t))
      if (!access.written.is_none()) visit(access.key);
  }

 private:
  static constexpr std::size_t kFew = 16;
  const std::vector<KeyId>& sorted_keys(TransactionId t) {
    auto [found, fresh] = sorted_.try_emplace(t);
    std::vector<KeyId>& keys = found->second;
    if (fresh) {
      for_each_key(t, [&](KeyId key) { keys.push_back(key); });
      std::ranges::sort(keys);
    }
    return keys;
  }

  const ReadWriteSets& sets_;
  std::vector<std::uint64_t> signatures_;
  absl::flat_hash_map<TransactionId, std::vector<KeyId>> sorted_;
};

// The shared part of the axioms about the reads of one transaction: visits each transaction with its
// reads. A few reads are compared with each other; many are looked up by key, so that a transaction
// costs no more than the smaller of its read set and the write sets it saw.
class ReadAxiom {
 public:
  ReadAxiom(const History& history, const Relations& relations, Budget& budget, const char* phase)
      : history_(history),
        relations_(relations),
        budget_(budget),
        phase_(phase),
        reads_(history, relations),
        writes_(history.transaction_count(), relations.read_write_sets, budget) {}
  virtual ~ReadAxiom() = default;
  ReadAxiom(const ReadAxiom&) = delete;
  ReadAxiom& operator=(const ReadAxiom&) = delete;

  ForcedOrder run() {
    constexpr std::size_t kFew = 16;
    for (const TransactionId t : history_.transactions()) {
      poll();
      if (!relations_.takes_part[t.index]) continue;
      const std::span<const ExternalRead> reads = reads_of(t);
      for (const ExternalRead& read : reads) {
        forced_.reads_from(read.writer, t);
        if (!read.writer.is_none()) writes_.prefetch(read.writer);
      }
      judge_session(t, reads);
      if (reads.size() > kFew)
        judge_many(t, reads);
      else if (reads.size() > 1)
        judge_few(t, reads);
    }
    return std::move(forced_);
  }

 protected:
  // The position of a key in the reads of a transaction.
  struct Place {
    TransactionId reader = TransactionId::none();
    std::uint32_t position = 0;
  };

  virtual std::span<const ExternalRead> reads_of(TransactionId t) = 0;
  virtual void judge_session(TransactionId, std::span<const ExternalRead>) {}
  virtual void judge_few(TransactionId t, std::span<const ExternalRead> reads) = 0;
  virtual void judge_many(TransactionId t, std::span<const ExternalRead> reads) = 0;
  void poll() { budget_.poll(phase_); }

  const History& history_;
  const Relations& relations_;
  Budget& budget_;
  const char* phase_;
  ExternalReads reads_;
  WriteSets writes_;
  ForcedOrder forced_;
};

class MonotonicReads final : public ReadAxiom {
 public:
  MonotonicReads(const History& history, const Relations& relations, Budget& budget)
      : ReadAxiom(history, relations, budget, "read committed") {}

 private:
  std::span<const ExternalRead> reads_of(TransactionId t) override { return reads_.all_of(t); }

  void judge_few(TransactionId t, std::span<const ExternalRead> reads) override {
    std::uint64_t later = 0;
    for (std::size_t i = reads.size(); i-- > 0;) {
      const TransactionId seen = reads[i].writer;
      if (!seen.is_none() && (writes_.signature(seen) & later) != 0) judge(t, reads, i);
      later |= WriteSets::signature(reads[i].key);
    }
  }

  // The next read of each key that reads[i].writer wrote.
  void judge(TransactionId t, std::span<const ExternalRead> reads, std::size_t i) {
    const TransactionId seen = reads[i].writer;
    for (std::size_t j = i + 1; j < reads.size(); ++j) {
      if (reads[j].writer == seen || !writes_.wrote(seen, reads[j].key)) continue;
      forced_.conclude(seen, reads[j].writer, t, reads[j].key);
    }
  }

  // Backwards, so that next_ always holds the next read of each key. Only the first read from a writer
  // counts: it sees the most.
  void judge_many(TransactionId t, std::span<const ExternalRead> reads) override {
    prepare(t, reads);
    for (std::size_t i = reads.size(); i-- > 0;) {
      if (first_[i]) judge_by_smaller_set(t, reads, i);
      Place& place = next_[reads[i].key.index];
      following_[i] = place.reader == t ? place.position : kNowhere;
      place = {t, static_cast<std::uint32_t>(i)};
    }
  }

  void prepare(TransactionId t, std::span<const ExternalRead> reads) {
    next_.resize(history_.key_count());
    last_reader_.resize(history_.transaction_count(), TransactionId::none());
    following_.resize(reads.size());
    first_.assign(reads.size(), false);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (reads[i].writer.is_none() || last_reader_[reads[i].writer.index] == t) continue;
      last_reader_[reads[i].writer.index] = t;
      first_[i] = true;
    }
  }

  void judge_by_smaller_set(TransactionId t, std::span<const ExternalRead> reads, std::size_t i) {
    const TransactionId seen = reads[i].writer;
    poll();
    if (reads.size() - i <= writes_.size(seen)) return judge(t, reads, i);
    writes_.for_each_key(seen, [&](KeyId key) {
      const Place place = next_[key.index];
      std::uint32_t j = place.reader == t ? place.position : kNowhere;
      while (j != kNowhere && reads[j].writer == seen) j = following_[j];
      if (j != kNowhere) forced_.conclude(seen, reads[j].writer, t, key);
    });
  }

  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;

  // Of transactions with many reads.
  std::vector<Place> next_;                 // By key.
  std::vector<TransactionId> last_reader_;  // By writer.
  std::vector<std::uint32_t> following_;    // By read: the next read of the same key.
  std::vector<bool> first_;                 // By read: the first from its writer.
};

// The last transaction of a session that wrote a key: a table while it is small, otherwise a hash map.
class LastWriters {
 public:
  LastWriters(std::size_t sessions, std::size_t keys) : keys_(keys) {
    if (sessions * keys <= kMostCells) table_.assign(sessions * keys, TransactionId::none());
  }

  TransactionId find(SessionId session, KeyId key) const {
    if (!table_.empty()) return table_[session.index * keys_ + key.index];
    const auto found = map_.find({session, key});
    return found == map_.end() ? TransactionId::none() : found->second;
  }
  void set(SessionId session, KeyId key, TransactionId writer) {
    if (!table_.empty())
      table_[session.index * keys_ + key.index] = writer;
    else
      map_[{session, key}] = writer;
  }

 private:
  static constexpr std::size_t kMostCells = std::size_t{1} << 25;
  std::size_t keys_;
  std::vector<TransactionId> table_;
  absl::flat_hash_map<std::pair<SessionId, KeyId>, TransactionId> map_;
};

class AtomicReads final : public ReadAxiom {
 public:
  AtomicReads(const History& history, const Relations& relations, Budget& budget)
      : ReadAxiom(history, relations, budget, "read atomic"),
        last_writers_(history.session_count(), history.key_count()) {}

 private:
  std::span<const ExternalRead> reads_of(TransactionId t) override { return reads_.of(t); }

  void judge_session(TransactionId t, std::span<const ExternalRead> reads) override {
    const SessionId session = history_.session(t);
    for (const ExternalRead& read : reads) {
      const TransactionId last = last_writers_.find(session, read.key);
      if (!last.is_none()) forced_.conclude(last, read.writer, t, read.key);
    }
    writes_.for_each_key(t, [&](KeyId key) { last_writers_.set(session, key, t); });
  }

  void judge_few(TransactionId t, std::span<const ExternalRead> reads) override {
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const TransactionId seen = reads[i].writer;
      if (seen.is_none()) continue;
      std::uint64_t others = 0;
      bool first = true;
      for (std::size_t j = 0; j < reads.size(); ++j) {
        if (reads[j].writer != seen) others |= WriteSets::signature(reads[j].key);
        if (j < i && reads[j].writer == seen) first = false;
      }
      if (first && (writes_.signature(seen) & others) != 0) judge(t, reads, seen);
    }
  }

  void judge(TransactionId t, std::span<const ExternalRead> reads, TransactionId seen) {
    for (const ExternalRead& read : reads)
      if (read.writer != seen && writes_.wrote(seen, read.key))
        forced_.conclude(seen, read.writer, t, read.key);
  }

  void judge_many(TransactionId t, std::span<const ExternalRead> reads) override {
    place_.resize(history_.key_count());
    last_reader_.resize(history_.transaction_count(), TransactionId::none());
    for (std::size_t i = 0; i < reads.size(); ++i)
      place_[reads[i].key.index] = {t, static_cast<std::uint32_t>(i)};
    for (const ExternalRead& read : reads) {
      const TransactionId seen = read.writer;
      if (seen.is_none() || last_reader_[seen.index] == t) continue;
      last_reader_[seen.index] = t;
      poll();
      if (reads.size() <= writes_.size(seen))
        judge(t, reads, seen);
      else
        judge_by_keys(t, reads, seen);
    }
  }

  void judge_by_keys(TransactionId t, std::span<const ExternalRead> reads, TransactionId seen) {
    writes_.for_each_key(seen, [&](KeyId key) {
      const Place place = place_[key.index];
      if (place.reader == t) forced_.conclude(seen, reads[place.position].writer, t, key);
    });
  }

  LastWriters last_writers_;
  // Of transactions with many reads.
  std::vector<Place> place_;                // By key.
  std::vector<TransactionId> last_reader_;  // By writer.
};

}  // namespace

ForcedOrder forced_by_monotonic_reads(const History& history, const Relations& relations, Budget& budget) {
  return MonotonicReads(history, relations, budget).run();
}

ForcedOrder forced_by_atomic_reads(const History& history, const Relations& relations, Budget& budget) {
  return AtomicReads(history, relations, budget).run();
}

}  // namespace serval
