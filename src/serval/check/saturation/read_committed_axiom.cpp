#include "serval/check/saturation/read_committed_axiom.h"

#include "serval/check/saturation/read_axiom.h"

namespace serval {
namespace {

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

}  // namespace

ForcedOrder forced_by_monotonic_reads(const History& history, const Relations& relations, Budget& budget) {
  return MonotonicReads(history, relations, budget).run();
}

}  // namespace serval
