#include "serval/check/saturation/causal_axiom.h"

#include <algorithm>

#include "serval/check/saturation/session_clocks.h"
#include "serval/check/saturation/session_writes.h"
#include "serval/inference/external_reads.h"

namespace serval {
namespace {

class Causality {
 public:
  Causality(const History& history, const Relations& relations, Budget& budget)
      : history_(history),
        relations_(relations),
        budget_(budget),
        reads_(history, relations),
        writes_(history, relations, budget),
        positions_(positions_in_sessions(history)),
        clocks_(history),
        nothing_(clocks_.make()),
        of_session_(history.session_count(), SessionClocks::kNone),
        left_(history.session_count(), 0),
        readers_(history.transaction_count(), 0),
        clock_(history.transaction_count(), SessionClocks::kNone) {}

  CausalOrder run() {
    count_readers();
    result_.order.reserve(history_.transaction_count());
    if (result_.forced.ascending) {
      for (const TransactionId t : history_.transactions())
        if (relations_.takes_part[t.index]) visit(t, reads_.of(t));
    } else {
      result_.forced.ascending = true;
      rank_.assign(history_.transaction_count(), kUnvisited);
      walk_in_turns();
    }
    return std::move(result_);
  }

 private:
  using Clock = SessionClocks::Clock;
  static constexpr std::uint32_t kUnvisited = 0xFFFFFFFFu;
  static constexpr std::size_t kFew = 64;  // Up to this many sessions are examined one by one.

  // How often each clock will be used, and whether reads-from follows the numbers.
  void count_readers() {
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("causal");
      if (!relations_.takes_part[t.index]) continue;
      ++left_[history_.session(t).index];
      for (const ExternalRead& read : reads_.of(t)) {
        result_.forced.reads_from(read.writer, t);
        if (!read.writer.is_none()) ++readers_[read.writer.index];
      }
    }
  }

  // The sessions advance in turns, one transaction at a time, to keep pace with each other; a session
  // that reads from a transaction not visited yet sleeps until it is.
  void walk_in_turns() {
    next_.assign(history_.session_count(), 0);
    sleepers_.assign(history_.transaction_count(), SessionId::none());
    next_sleeper_.assign(history_.session_count(), SessionId::none());
    std::vector<SessionId> awake, moved;
    for (const SessionId session : history_.sessions()) awake.push_back(session);
    while (!awake.empty()) {
      moved.clear();
      for (const SessionId session : awake) step(session, moved);
      std::swap(awake, moved);
    }
  }

  void step(SessionId session, std::vector<SessionId>& moved) {
    const std::span<const TransactionId> own = history_.session_transactions(session);
    std::uint32_t& next = next_[session.index];
    while (next < own.size() && !relations_.takes_part[own[next].index]) ++next;
    if (next == own.size()) return;
    const TransactionId t = own[next];
    const std::span<const ExternalRead> reads = reads_.of(t);
    for (const ExternalRead& read : reads) {
      if (read.writer.is_none() || rank_[read.writer.index] != kUnvisited) continue;
      next_sleeper_[session.index] = std::exchange(sleepers_[read.writer.index], session);
      return;
    }
    rank_[t.index] = static_cast<std::uint32_t>(result_.order.size());
    visit(t, reads);
    ++next;
    moved.push_back(session);
    for (SessionId woken = sleepers_[t.index]; !woken.is_none(); woken = next_sleeper_[woken.index])
      moved.push_back(woken);
  }

  void visit(TransactionId t, std::span<const ExternalRead> reads) {
    budget_.poll("causal");
    const SessionId session = history_.session(t);
    Clock& clock = of_session_[session.index];
    if (clock == SessionClocks::kNone) clock = clocks_.make();
    for (const ExternalRead& read : reads)
      if (!read.writer.is_none()) clocks_.join(clock, clock_[read.writer.index]);
    for (const ExternalRead& read : reads)
      judge(t, read, clock, read.writer.is_none() ? nothing_ : clock_[read.writer.index]);
    for (const ExternalRead& read : reads)
      if (!read.writer.is_none() && --readers_[read.writer.index] == 0)
        clocks_.release(clock_[read.writer.index]);
    clocks_.advance(clock, session, positions_[t.index] + 1);
    leave_behind(t, clock);
    for (const Access& access : relations_.read_write_sets.of(t))
      if (!access.written.is_none()) writes_.entry(access.key, session).reached = positions_[t.index] + 1;
    result_.order.push_back(t);
  }

  // Keeps the clock of `t` for its readers, and that of the session for its next transaction.
  void leave_behind(TransactionId t, Clock& of_session) {
    const bool is_last = --left_[history_.session(t).index] == 0;
    if (readers_[t.index] > 0)
      clock_[t.index] = is_last ? of_session : clocks_.copy(of_session);
    else if (is_last)
      clocks_.release(of_session);
    if (is_last) of_session = SessionClocks::kNone;
  }

  // `seen` is the clock of the transaction that was read from; what is visible to it already precedes
  // it.
  void judge(TransactionId t, const ExternalRead& read, Clock clock, Clock seen) {
    const std::span<SessionWrites::Entry> all = writes_.of(read.key);
    if (all.size() <= kFew) {
      for (const SessionWrites::Entry& entry : all) judge_entry(t, read, clock, seen, entry);
      return;
    }
    clocks_.for_each_difference(clock, seen, [&](SessionId begin, SessionId end) {
      for (auto entry = std::ranges::lower_bound(all, begin, {}, &SessionWrites::Entry::session);
           entry != all.end() && entry->session < end; ++entry)
        judge_entry(t, read, clock, seen, *entry);
    });
  }

  void judge_entry(TransactionId t, const ExternalRead& read, Clock clock, Clock seen,
                   const SessionWrites::Entry& entry) {
    const std::uint32_t dealt_with = clocks_.seen(seen, entry.session);
    if (entry.reached <= dealt_with) return;
    const std::uint32_t known = clocks_.seen(clock, entry.session);
    const std::uint32_t last = entry.reached <= known ? entry.reached : writes_.last_below(entry, known);
    if (last > dealt_with)
      conclude(history_.session_transactions(entry.session)[last - 1], read.writer, t, read.key);
  }

  void conclude(TransactionId before, TransactionId after, TransactionId reader, KeyId key) {
    ForcedOrder& forced = result_.forced;
    if (before == after) return;
    if (after.is_none()) return forced.stale.push_back({before, reader, key});
    forced.ascending = forced.ascending && comes_first(before, after);
    forced.edges.push_back({before, after});
  }
  bool comes_first(TransactionId a, TransactionId b) const {
    return rank_.empty() ? a < b : rank_[a.index] < rank_[b.index];
  }

  const History& history_;
  const Relations& relations_;
  Budget& budget_;
  ExternalReads reads_;
  SessionWrites writes_;
  std::vector<std::uint32_t> positions_;
  SessionClocks clocks_;
  Clock nothing_;
  // By session: the clock of the last transaction visited, until the session ends.
  std::vector<Clock> of_session_;
  std::vector<std::uint32_t> left_;     // By session: transactions left to visit.
  std::vector<std::uint32_t> readers_;  // By transaction: reads from it that are still to come.
  std::vector<Clock> clock_;            // By transaction, while readers are still to come.
  CausalOrder result_;
  // Only if the order of the history does not follow reads-from.
  std::vector<std::uint32_t> rank_;      // By transaction: its position in result_.order.
  std::vector<std::uint32_t> next_;      // By session.
  std::vector<SessionId> sleepers_;      // By transaction: the first session waiting for it.
  std::vector<SessionId> next_sleeper_;  // By session.
};

}  // namespace

CausalOrder forced_by_causality(const History& history, const Relations& relations, Budget& budget) {
  return Causality(history, relations, budget).run();
}

}  // namespace serval
