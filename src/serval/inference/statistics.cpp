#include "serval/inference/statistics.h"

#include <algorithm>
#include <cmath>

#include "serval/inference/key_kinds.h"

namespace serval {
namespace {

void count_outcomes(const History& history, Statistics& out) {
  for (const Outcome outcome : history.outcome_column()) {
    out.committed += outcome == Outcome::Committed ? 1 : 0;
    out.aborted += outcome == Outcome::Aborted ? 1 : 0;
    out.indeterminate += outcome == Outcome::Indeterminate ? 1 : 0;
  }
}

void measure_sessions(const History& history, Statistics& out) {
  std::vector<std::int64_t> transactions, operations;
  for (const SessionId session : history.sessions())
    transactions.push_back(static_cast<std::int64_t>(history.session_transactions(session).size()));
  for (const TransactionId t : history.transactions()) operations.push_back(history.operations(t).size());
  out.transactions_per_session = distribution_of(std::move(transactions));
  out.operations_per_transaction = distribution_of(std::move(operations));
}

void measure_keys(const History& history, Statistics& out) {
  std::vector<std::int64_t> touched(history.key_count(), 0);
  std::vector<bool> written(history.key_count(), false);
  const std::span<const KeyId> keys = history.key_column();
  const std::span<const OperationKind> kinds = history.kind_column();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ++out.by_kind[static_cast<std::size_t>(kinds[i])];
    if (keys[i].is_none()) continue;
    ++touched[keys[i].index];
    if (writes_key(kinds[i])) written[keys[i].index] = true;
  }
  out.written_keys = static_cast<std::uint64_t>(std::ranges::count(written, true));
  if (!touched.empty()) {
    const auto hottest = std::ranges::max_element(touched) - touched.begin();
    out.hottest_key = KeyId{static_cast<std::uint32_t>(hottest)};
  }
  out.operations_per_key = distribution_of(std::move(touched));
}

void measure_times(const History& history, Statistics& out) {
  std::vector<std::int64_t> latencies;
  Time first = kUnknownEnd, last = kUnknownBegin;
  for (const TransactionId t : history.transactions()) {
    const Interval interval = history.interval(t);
    if (interval.begin != kUnknownBegin) first = std::min(first, interval.begin);
    if (interval.end != kUnknownEnd) last = std::max(last, interval.end);
    if (interval.begin != kUnknownBegin && interval.end != kUnknownEnd && interval.begin <= interval.end)
      latencies.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(interval.end) -
                                                    static_cast<std::uint64_t>(interval.begin)));
  }
  if (!latencies.empty()) out.latency_ns = distribution_of(std::move(latencies));
  if (first != kUnknownEnd && last != kUnknownBegin && first <= last)
    out.span_ns = static_cast<Time>(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first));
}

}  // namespace

Distribution distribution_of(std::vector<std::int64_t> numbers) {
  if (numbers.empty()) return {};
  std::ranges::sort(numbers);
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(numbers.size()));
    return numbers[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  return {numbers.front(), at(0.5), at(0.9), at(0.99), at(0.999), numbers.back()};
}

Statistics measure(const History& history) {
  Statistics out;
  out.sessions = history.session_count();
  out.transactions = history.transaction_count();
  out.operations = history.operation_count();
  out.keys = history.key_count();
  count_outcomes(history, out);
  measure_sessions(history, out);
  measure_keys(history, out);
  measure_times(history, out);
  for (const TransactionId t : history.transactions())
    if (const TransactionHints* hints = history.hints(t); hints != nullptr && !hints->error.empty())
      ++out.errors[hints->error];
  return out;
}

}  // namespace serval
