#include "serval/check/saturation/read_atomic_axiom.h"

#include <absl/container/flat_hash_map.h>

#include "serval/check/saturation/read_axiom.h"

namespace serval {
namespace {

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

ForcedOrder forced_by_atomic_reads(const History& history, const Relations& relations, Budget& budget) {
  return AtomicReads(history, relations, budget).run();
}

}  // namespace serval
