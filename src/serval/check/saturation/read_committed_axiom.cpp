#include "serval/check/saturation/read_committed_axiom.h"

#include <algorithm>

#include "serval/inference/external_reads.h"
#include "serval/inference/write_sets.h"

namespace serval {
namespace {

class MonotonicReads {
 public:
  MonotonicReads(const History& history, const Relations& relations, Budget& budget)
      : history_(history),
        relations_(relations),
        budget_(budget),
        reads_(history, relations),
        writes_(history.transaction_count(), relations.read_write_sets, budget) {}

  ForcedOrder run() {
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("read committed");
      if (!relations_.takes_part[t.index]) continue;
      const std::span<const ExternalRead> reads = reads_.all_of(t);
      for (const ExternalRead& read : reads) {
        forced_.reads_from(read.writer, t);
        if (!read.writer.is_none()) writes_.prefetch(read.writer);
      }
      if (reads.size() > kFew)
        judge_many(t, reads);
      else if (reads.size() > 1)
        judge_few(t, reads);
    }
    return std::move(forced_);
  }

 private:
  static constexpr std::size_t kFew = 16;

  void judge_few(TransactionId t, std::span<const ExternalRead> reads) {
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
  void judge_many(TransactionId t, std::span<const ExternalRead> reads) {
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
    budget_.poll("read committed");
    if (reads.size() - i <= writes_.size(seen)) return judge(t, reads, i);
    writes_.for_each_key(seen, [&](KeyId key) {
      const Place place = next_[key.index];
      std::uint32_t j = place.reader == t ? place.position : kNowhere;
      while (j != kNowhere && reads[j].writer == seen) j = following_[j];
      if (j != kNowhere) forced_.conclude(seen, reads[j].writer, t, key);
    });
  }

  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;
  struct Place {
    TransactionId reader = TransactionId::none();
    std::uint32_t position = 0;
  };

  const History& history_;
  const Relations& relations_;
  Budget& budget_;
  ExternalReads reads_;
  WriteSets writes_;
  ForcedOrder forced_;
  // Of transactions with many reads.
  std::vector<Place> next_;                 // By key.
  std::vector<TransactionId> last_reader_;  // By writer.
  std::vector<std::uint32_t> following_;    // By read: the next read of the same key.
  std::vector<bool> first_;                 // By read: the first from its writer.
};

}  // namespace

ForcedOrder forced_by_monotonic_reads(const History& history, const Relations& relations, Budget& budget) {
  return MonotonicReads(history, relations, budget).run();
}

}  // namespace serval
