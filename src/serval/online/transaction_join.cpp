#include "serval/online/transaction_join.h"

#include <utility>

namespace serval::online {

void TransactionJoin::add(const LiveTransaction& transaction) {
  if (transaction.participant.is_none()) return;
  certifier_.add(transaction.participant,
                 {.transaction = transaction.number,
                  .session = transaction.session,
                  .writes = transaction.wrote,
                  .commit = transaction.end,
                  .snapshot = transaction.has_snapshot ? transaction.snapshot
                                                       : Interval{transaction.begin, kUnknownEnd}});
}

void TransactionJoin::report(Report report) {
  ++statistics_.violations[static_cast<std::size_t>(report.violation.mechanism)];
  if (report.violation.mechanism == Mechanism::FirstUpdaterWins) certifier_.note_lost_update();
  if (violation_count_.fetch_add(1, std::memory_order_relaxed) < options_.most_violations)
    reports_.push_back(std::move(report));
}

void TransactionJoin::depend(const Findings::Link& link) {
  if (auto violation = certifier_.depend(link)) report({.violation = std::move(*violation)});
}

void TransactionJoin::take(const LiveTransaction& transaction, const Findings::Finding& finding,
                           Findings& of) {
  if (finding.report == Findings::Finding::kNoReport) return depend(finding.link);
  Report found = std::move(of.report_of(finding));
  found.judged = transaction.judged;
  if (found.unwritten) found.unwritten->ended_before = transaction.ended_before;
  report(std::move(found));
}

void TransactionJoin::complete(LiveTransaction& transaction) {
  if (!transaction.regions.empty()) judge_regions(transaction);
  if (transaction.participant.is_none()) return;
  if (profile_.keeps_sessions) link_to_session(transaction);
  certifier_.complete(transaction.participant);
}

void TransactionJoin::judge_regions(LiveTransaction& transaction) {
  using State = LiveTransaction::State;
  if (options_.forgets) regions_.forget_before(horizon_);
  Interval release = transaction.end;
  if (transaction.state == State::Aborted) release.begin = transaction.last_answered;
  std::erase_if(transaction.regions, [&](const RegionLock& region) {
    return transaction.state == State::Aborted && region.lock.acquire.end >= transaction.end.end;
  });
  for (RegionLock& region : transaction.regions) {
    region.lock.transaction = transaction.number;
    region.lock.session = transaction.session;
    region.lock.release = release;
    regions_.judge(region, [&](Violation found) { report({.violation = std::move(found)}); });
  }
  regions_.keep(transaction.regions);
}

// Transactions of a session are judged in its order: each ends before the next begins, or at the same tick.
void TransactionJoin::link_to_session(const LiveTransaction& transaction) {
  if (transaction.session >= last_of_session_.size()) last_of_session_.resize(transaction.session + 1);
  Participant& last = last_of_session_[transaction.session];
  if (!last.is_none()) {
    ++statistics_.deduced[static_cast<std::size_t>(Dependency::Session)];
    depend({.from = last, .to = transaction.participant, .dependency = Dependency::Session});
  }
  last = transaction.participant;
}

void TransactionJoin::forget_before(Time horizon) {
  horizon_ = horizon;
  certifier_.forget_before(horizon);
  oldest_.store(certifier_.oldest(), std::memory_order_relaxed);
}

OnlineStatistics TransactionJoin::statistics() const {
  OnlineStatistics out = statistics_;
  out.hints = certifier_.hints();
  out.locks = regions_.size();
  out.vertices = certifier_.graph().vertex_count();
  out.edges = certifier_.graph().edge_count();
  return out;
}

}  // namespace serval::online
