#pragma once
// The shared part of the axioms about the reads of one transaction: visits each transaction with its
// reads. A few reads are compared with each other; many are looked up by key, so that a transaction
// costs no more than the smaller of its read set and the write sets it saw.

#include <span>
#include <vector>

#include "serval/inference/external_reads.h"
#include "serval/inference/write_sets.h"

namespace serval {

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

}  // namespace serval
