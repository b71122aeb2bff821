#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/verify/facts.h"
#include "serval/verify/holds.h"
#include "serval/verify/ordered_reads.h"
#include "serval/verify/reads.h"

namespace serval::verify {
namespace {

// Which transactions are visible to each transaction, as rows of words: a count per session, or one bit
// per transaction if that takes less space. Shares nothing with the search's clocks.
class Pasts {
 public:
  using Row = std::vector<std::uint32_t>;

  explicit Pasts(const Facts& facts) : facts_(facts) {
    const History& history = facts.history();
    counts_ = history.transaction_count() > 32 * history.session_count();
    for (const SessionId s : history.sessions()) {
      start_.push_back(size_);
      size_ += counts_ ? 1 : history.session_transactions(s).size();
    }
    if (!counts_) size_ = size_ / 32 + 1;
  }

  Row nothing() const { return Row(size_, 0); }
  void add(Row& row, const Row& other) const {
    if (counts_)
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::max(row[i], other[i]);
    else
      for (std::size_t i = 0; i < row.size(); ++i) row[i] |= other[i];
  }
  // Also covers all before it in its session, which must already be included.
  void add(Row& row, TransactionId t) const {
    if (counts_)
      row[place(t)] = std::max(row[place(t)], facts_.session_position(t) + 1);
    else
      row[bit(t) / 32] |= std::uint32_t{1} << (bit(t) % 32);
  }
  bool has(const Row& row, TransactionId t) const {
    if (counts_) return row[place(t)] > facts_.session_position(t);
    return (row[bit(t) / 32] >> (bit(t) % 32) & 1) != 0;
  }

 private:
  std::size_t place(TransactionId t) const { return start_[facts_.history().session(t).index]; }
  std::size_t bit(TransactionId t) const { return place(t) + facts_.session_position(t); }

  const Facts& facts_;
  bool counts_ = false;
  std::vector<std::size_t> start_;  // By session: its word, or its first bit.
  std::size_t size_ = 0;            // Words per row.
};

constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();

class CommitOrderProof {
 public:
  CommitOrderProof(const History& history, const Holds& claim)
      : history_(history), claim_(claim), facts_(history), observed_(facts_) {
    for (const KeyId key : history.key_ids()) has_lists_ = has_lists_ || facts_.is_list(key);
  }

  Flaw flaw() {
    if (!claim_.snapshot.empty() || claim_.version_order.rows() > 0)
      return fmt::format("the witness for {} is a commit order alone", name_of(claim_.proven));
    if (Flaw flaw = flaw_of_attendance()) return flaw;
    for (const OperationId wrong : {observed_.first_unexplained(), observed_.first_open()})
      if (!wrong.is_none())
        return fmt::format("it is not certain that {} saw a committed version",
                           print_in_transaction(history_, wrong));
    if (Flaw flaw = flaw_of_reads_from()) return flaw;
    if (has_lists_)
      if (Flaw flaw = flaw_of_committed_reads(history_, claim_.commit_order)) return flaw;
    if (uses_session_order(claim_.proven))
      if (Flaw flaw = flaw_of_sessions()) return flaw;
    note_writes();
    switch (claim_.proven) {
      case Level::ReadAtomic:
        return flaw_of_atomicity();
      case Level::Causal:
        return flaw_of_causality();
      default:
        return flaw_of_monotony();
    }
  }

 private:
  // One more than the position; the initial version comes before all.
  std::uint32_t rank(TransactionId t) const { return t.is_none() ? 0 : position_[t.index] + 1; }

  Flaw flaw_of_attendance() {
    position_.assign(history_.transaction_count(), kLeftOut);
    for (std::uint32_t i = 0; i < claim_.commit_order.size(); ++i) {
      const TransactionId t = claim_.commit_order[i];
      if (!facts_.has(t)) return fmt::format("position {} does not name a transaction", i);
      if (position_[t.index] != kLeftOut) return fmt::format("{} takes part twice", name(history_, t));
      if (!facts_.participates(t)) return fmt::format("{} must not take part", name(history_, t));
      position_[t.index] = i;
    }
    for (const TransactionId t : history_.transactions())
      if (facts_.participates(t) && position_[t.index] == kLeftOut)
        return fmt::format("{} does not take part", name(history_, t));
    return std::nullopt;
  }

  Flaw flaw_of_reads_from() const {
    for (const TransactionId t : claim_.commit_order)
      for (const SeenWrite& seen : observed_.of(t))
        if (rank(seen.writer) >= rank(t))
          return fmt::format("{} comes before {}, from which it reads", name(history_, t),
                             name(history_, seen.writer));
    return std::nullopt;
  }

  Flaw flaw_of_sessions() const {
    for (const SessionId s : history_.sessions()) {
      TransactionId before = TransactionId::none();
      for (const TransactionId t : history_.session_transactions(s)) {
        if (position_[t.index] == kLeftOut) continue;
        if (rank(before) > rank(t))
          return fmt::format("{} comes after {}, which follows it in its session", name(history_, before),
                             name(history_, t));
        before = t;
      }
    }
    return std::nullopt;
  }

  void note_writes() {
    for (const TransactionId t : claim_.commit_order)
      for (const OperationId op : history_.operations(t))
        if (value_written(history_, op) && written_.emplace(t, history_.key(op)).second)
          keys_of_[t].push_back(history_.key(op));
  }

  Flaw flaw_of_miss(const SeenWrite& seen, TransactionId missed) const {
    return fmt::format("{} missed the write of {}, which was visible to its transaction",
                       print_in_transaction(history_, seen.read), name(history_, missed));
  }
  bool goes_back(const SeenWrite& seen, TransactionId other) const { return rank(other) > rank(seen.writer); }

  // From the read at `first` on, the writer of that read is visible to the transaction.
  Flaw flaw_of_monotony() const {
    for (const TransactionId t : claim_.commit_order) {
      const std::span<const SeenWrite> reads = observed_.of(t);
      absl::flat_hash_set<TransactionId> known;
      for (std::size_t i = 0; i < reads.size(); ++i) {
        const TransactionId writer = reads[i].writer;
        if (writer.is_none() || !known.insert(writer).second) continue;
        if (Flaw flaw = flaw_of_view(reads.subspan(i + 1), writer)) return flaw;
      }
    }
    return std::nullopt;
  }

  // No read in `reads` may miss a write of `writer`. Iterates over whichever has fewer keys.
  Flaw flaw_of_view(std::span<const SeenWrite> reads, TransactionId writer) const {
    const std::vector<KeyId>& keys = keys_of_.at(writer);
    if (reads.size() <= 4 * keys.size()) {
      for (const SeenWrite& seen : reads)
        if (goes_back(seen, writer) && written_.contains({writer, seen.key}))
          return flaw_of_miss(seen, writer);
      return std::nullopt;
    }
    const absl::flat_hash_set<KeyId> wanted(keys.begin(), keys.end());
    for (const SeenWrite& seen : reads)
      if (goes_back(seen, writer) && wanted.contains(seen.key)) return flaw_of_miss(seen, writer);
    return std::nullopt;
  }

  // A list read after own appends shows, before them, what was read earlier.
  Flaw flaw_of_changed_list(TransactionId t) const {
    absl::flat_hash_map<KeyId, std::size_t> own, beneath;
    for (const OperationId op : history_.operations(t)) {
      const KeyId key = history_.key(op);
      if (!facts_.is_list(key)) continue;
      if (history_.kind(op) == OperationKind::Append) ++own[key];
      if (!value_read(history_, op)) continue;
      const std::size_t length = elements_read(history_, op).size() - own[key];
      if (beneath.emplace(key, length).first->second != length)
        return fmt::format("{} disagrees with an earlier read of its key",
                           print_in_transaction(history_, op));
    }
    return std::nullopt;
  }

  Flaw flaw_of_disagreement(TransactionId t) const {
    const std::span<const SeenWrite> reads = observed_.of(t);
    if (has_lists_)
      if (Flaw flaw = flaw_of_changed_list(t)) return flaw;
    absl::flat_hash_map<KeyId, TransactionId> first;
    for (const SeenWrite& seen : reads) {
      const auto [found, fresh] = first.emplace(seen.key, seen.writer);
      if (!fresh && found->second != seen.writer)
        return fmt::format("{} disagrees with an earlier read of its key",
                           print_in_transaction(history_, seen.read));
    }
    return std::nullopt;
  }

  Flaw flaw_of_atomicity() const {
    for (const TransactionId t : claim_.commit_order) {
      const std::span<const SeenWrite> reads = observed_.of(t);
      if (Flaw flaw = flaw_of_disagreement(t)) return flaw;
      absl::flat_hash_set<TransactionId> known;
      for (const SeenWrite& seen : reads)
        if (!seen.writer.is_none() && known.insert(seen.writer).second)
          if (Flaw flaw = flaw_of_view(reads, seen.writer)) return flaw;
    }
    for (const SessionId s : history_.sessions())
      if (Flaw flaw = flaw_of_own_past(s)) return flaw;
    return std::nullopt;
  }

  // The last writer of a key in the session comes after its earlier ones.
  Flaw flaw_of_own_past(SessionId s) const {
    absl::flat_hash_map<KeyId, TransactionId> last;
    for (const TransactionId t : history_.session_transactions(s)) {
      if (position_[t.index] == kLeftOut) continue;
      for (const SeenWrite& seen : observed_.of(t)) {
        const auto found = last.find(seen.key);
        if (found != last.end() && goes_back(seen, found->second)) return flaw_of_miss(seen, found->second);
      }
      const auto keys = keys_of_.find(t);
      if (keys == keys_of_.end()) continue;
      for (const KeyId key : keys->second) last[key] = t;
    }
    return std::nullopt;
  }

  // What is visible to each transaction, in commit order; a row is freed after its last use.
  Flaw flaw_of_causality() {
    const Pasts pasts(facts_);
    std::vector<Pasts::Row> rows(history_.transaction_count());
    std::vector<TransactionId> last_of_session(history_.session_count(), TransactionId::none());
    std::vector<std::uint32_t> uses = uses_of_rows();
    index_by_key();
    for (const TransactionId t : claim_.commit_order) {
      if (Flaw flaw = flaw_of_disagreement(t)) return flaw;
      Pasts::Row own = pasts.nothing();
      const auto take = [&](TransactionId from) {
        if (from.is_none()) return;
        pasts.add(own, rows[from.index]);
        if (--uses[from.index] == 0) Pasts::Row().swap(rows[from.index]);
      };
      take(std::exchange(last_of_session[history_.session(t).index], t));
      for (const SeenWrite& seen : observed_.of(t)) take(seen.writer);
      for (const SeenWrite& seen : observed_.of(t))
        if (Flaw flaw = flaw_of_past(t, seen, pasts, own)) return flaw;
      pasts.add(own, t);
      if (uses[t.index] > 0) rows[t.index] = std::move(own);
    }
    return std::nullopt;
  }

  // How often the row of each transaction is used: by its successor in the session, and by its readers.
  std::vector<std::uint32_t> uses_of_rows() const {
    std::vector<std::uint32_t> uses(history_.transaction_count(), 0);
    std::vector<TransactionId> last_of_session(history_.session_count(), TransactionId::none());
    for (const TransactionId t : claim_.commit_order) {
      const TransactionId before = std::exchange(last_of_session[history_.session(t).index], t);
      if (!before.is_none()) ++uses[before.index];
      for (const SeenWrite& seen : observed_.of(t))
        if (!seen.writer.is_none()) ++uses[seen.writer.index];
    }
    return uses;
  }

  using Writers = std::vector<TransactionId>;
  void index_by_key() {
    writers_.resize(history_.key_count());
    in_commit_order_.resize(history_.key_count());
    for (const SessionId s : history_.sessions())
      for (const TransactionId t : history_.session_transactions(s))
        if (const auto keys = keys_of_.find(t); keys != keys_of_.end())
          for (const KeyId key : keys->second) writers_of(key, s).push_back(t);
    for (const TransactionId t : claim_.commit_order)
      if (const auto keys = keys_of_.find(t); keys != keys_of_.end())
        for (const KeyId key : keys->second) in_commit_order_[key.index].push_back(t);
  }
  Writers& writers_of(KeyId key, SessionId s) {
    auto& all = writers_[key.index];
    if (all.empty() || all.back().first != s) all.emplace_back(s, Writers{});
    return all.back().second;
  }

  // Only writers after the one that was read from matter. Examines the smaller set: the writers between
  // it and the reader, or the last visible one of each session, which comes after that session's earlier
  // ones.
  Flaw flaw_of_past(TransactionId t, const SeenWrite& seen, const Pasts& pasts,
                    const Pasts::Row& past) const {
    const Writers& all = in_commit_order_[seen.key.index];
    const auto by_rank = [&](TransactionId writer) { return rank(writer); };
    const auto begin = std::ranges::upper_bound(all, rank(seen.writer), {}, by_rank);
    const auto end = std::ranges::lower_bound(begin, all.end(), rank(t), {}, by_rank);
    const auto& sessions = writers_[seen.key.index];
    if (static_cast<std::size_t>(end - begin) <= sessions.size()) {
      const auto found =
          std::find_if(begin, end, [&](TransactionId writer) { return pasts.has(past, writer); });
      return found == end ? std::nullopt : flaw_of_miss(seen, *found);
    }
    for (const auto& [s, writers] : sessions) {
      const auto last = std::ranges::partition_point(
          writers, [&](TransactionId writer) { return pasts.has(past, writer); });
      if (last != writers.begin() && goes_back(seen, *(last - 1))) return flaw_of_miss(seen, *(last - 1));
    }
    return std::nullopt;
  }

  const History& history_;
  const Holds& claim_;
  Facts facts_;
  CertainReads observed_;
  bool has_lists_ = false;
  std::vector<std::uint32_t> position_;
  absl::flat_hash_set<std::pair<TransactionId, KeyId>> written_;
  absl::flat_hash_map<TransactionId, std::vector<KeyId>> keys_of_;
  std::vector<std::vector<std::pair<SessionId, Writers>>> writers_;  // By key and session, in session order.
  std::vector<Writers> in_commit_order_;                             // By key.
};

}  // namespace

bool shown_by_commit_order(Level level) {
  return level == Level::MonotonicAtomicView || level == Level::ReadCommittedMonotonic ||
         level == Level::ReadAtomic || level == Level::Causal;
}

Flaw flaw_of_commit_order(const History& history, const Holds& claim) {
  return CommitOrderProof(history, claim).flaw();
}

}  // namespace serval::verify
