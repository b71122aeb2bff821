#include "metamorphic/changes.h"

#include <algorithm>
#include <map>

#include "history_equality.h"
#include "serval/base/error.h"
#include "serval/formats/format.h"

namespace serval::metamorphic {
namespace {

using Transaction = Draft::Transaction;
using Changed = std::optional<History>;
const Spelling kUnchanged;

History rename(const Draft& draft, Random& random) { return freeze(draft, Spelling::any(random)); }

// Interleaves the sessions differently; each keeps its order.
Draft reordered(const Draft& draft, Random& random) {
  std::map<int, std::vector<Transaction>> sessions;
  for (const Transaction& transaction : draft.transactions)
    sessions[transaction.session].push_back(transaction);
  for (auto& [session, transactions] : sessions) std::ranges::reverse(transactions);
  Draft out;
  while (!sessions.empty()) {
    const auto chosen =
        std::next(sessions.begin(), static_cast<std::ptrdiff_t>(random.below(sessions.size())));
    out.transactions.push_back(std::move(chosen->second.back()));
    chosen->second.pop_back();
    if (chosen->second.empty()) sessions.erase(chosen);
  }
  return out;
}

int beyond(const Draft& draft, int Draft::Step::*member) {
  int most = 0;
  for (const Transaction& transaction : draft.transactions)
    for (const Draft::Step& step : transaction.operations) {
      most = std::max(most, step.*member);
      for (const int element : step.list) most = std::max(most, element);
    }
  return most + 1;
}

int new_session(const Draft& draft) {
  int most = 0;
  for (const Transaction& transaction : draft.transactions) most = std::max(most, transaction.session);
  return most + 1;
}

bool has_times(const Draft& draft) {
  return std::ranges::any_of(draft.transactions,
                             [](const Transaction& t) { return t.interval != Interval{}; });
}

Interval some_time(const Draft& draft, Random& random) {
  if (!has_times(draft)) return {};
  const Time begin = static_cast<Time>(random.below(20));
  return {begin, begin + static_cast<Time>(random.below(6))};
}

void insert_somewhere(Draft& draft, Transaction transaction, Random& random) {
  const auto at = static_cast<std::ptrdiff_t>(random.below(draft.transactions.size() + 1));
  draft.transactions.insert(draft.transactions.begin() + at, std::move(transaction));
}

// Nobody reads what it wrote, and what it read does not count.
Changed add_aborted(Draft draft, Random& random) {
  Transaction aborted{.session = static_cast<int>(random.below(5)), .outcome = Outcome::Aborted};
  aborted.interval = some_time(draft, random);
  const int fresh = beyond(draft, &Draft::Step::value);
  for (const Transaction& transaction : draft.transactions)
    for (const Draft::Step& step : transaction.operations) {
      if (!random.chance(0.3)) continue;
      aborted.operations.push_back(step);
      Draft::Step& copy = aborted.operations.back();
      const bool reads = step.kind == OperationKind::Read || step.kind == OperationKind::ReadList ||
                         step.kind == OperationKind::InsertMiss ||
                         step.kind == OperationKind::CompareAndSetMiss;
      if (!reads && step.kind != OperationKind::Delete)
        copy.value = fresh + static_cast<int>(aborted.operations.size());
    }
  insert_somewhere(draft, std::move(aborted), random);
  return freeze(draft, kUnchanged);
}

// With a new key and a new session.
Changed add_unrelated(Draft draft, Random& random) {
  Transaction unrelated{.session = new_session(draft), .interval = some_time(draft, random)};
  unrelated.operations.push_back(
      {OperationKind::Write, beyond(draft, &Draft::Step::key), beyond(draft, &Draft::Step::value)});
  insert_somewhere(draft, std::move(unrelated), random);
  return freeze(draft, kUnchanged);
}

bool is_unrelated(const Draft& draft, std::size_t which) {
  const Transaction& one = draft.transactions[which];
  if (one.outcome != Outcome::Committed || one.operations.empty()) return false;
  const int key = one.operations.front().key;
  if (one.operations.size() > 1 || one.operations.front().kind != OperationKind::Write) return false;
  for (std::size_t i = 0; i < draft.transactions.size(); ++i) {
    if (i == which) continue;
    if (draft.transactions[i].session == one.session) return false;
    for (const Draft::Step& step : draft.transactions[i].operations)
      if (step.key == key) return false;
  }
  return true;
}

Changed drop_unrelated(Draft draft, Random&) {
  for (std::size_t i = 0; i < draft.transactions.size(); ++i)
    if (is_unrelated(draft, i)) {
      draft.transactions.erase(draft.transactions.begin() + static_cast<std::ptrdiff_t>(i));
      return freeze(draft, kUnchanged);
    }
  return std::nullopt;
}

// Any mapping of times that keeps their order.
Changed shift_times(Draft draft, Random& random) {
  if (!has_times(draft)) return std::nullopt;
  const Time offset = static_cast<Time>(random.below(1'000'000)) - 500'000;
  const Time factor = 1 + static_cast<Time>(random.below(1000));
  for (Transaction& transaction : draft.transactions) {
    Interval& time = transaction.interval;
    if (time.begin != kUnknownBegin) time.begin = time.begin * factor + offset;
    if (time.end != kUnknownEnd) time.end = time.end * factor + offset;
  }
  return freeze(draft, kUnchanged);
}

Changed forget_times(Draft draft, Random& random) {
  if (!has_times(draft)) return std::nullopt;
  for (Transaction& transaction : draft.transactions)
    if (random.chance(0.5)) transaction.interval = {};
  return freeze(draft, kUnchanged);
}

Changed split_sessions(Draft draft, Random& random) {
  int session = new_session(draft);
  for (Transaction& transaction : draft.transactions)
    if (random.chance(0.5)) transaction.session = session++;
  return freeze(draft, kUnchanged);
}

bool only_reads(const Transaction& transaction) {
  return std::ranges::all_of(transaction.operations, [](const Draft::Step& step) {
    return step.kind == OperationKind::Read || step.kind == OperationKind::ReadList ||
           step.kind == OperationKind::InsertMiss || step.kind == OperationKind::CompareAndSetMiss;
  });
}

Changed drop_reader(Draft draft, Random& random) {
  const std::size_t start = random.below(draft.transactions.size() + 1);
  for (std::size_t i = start; i < draft.transactions.size(); ++i)
    if (only_reads(draft.transactions[i])) {
      draft.transactions.erase(draft.transactions.begin() + static_cast<std::ptrdiff_t>(i));
      return freeze(draft, kUnchanged);
    }
  return std::nullopt;
}

Changed forget_answers(Draft draft, Random& random) {
  bool forgot = false;
  for (Transaction& transaction : draft.transactions)
    for (Draft::Step& step : transaction.operations)
      if ((step.kind == OperationKind::Read || step.kind == OperationKind::ReadList) && random.chance(0.3)) {
        step.value = kUnknown;
        step.list.clear();
        forgot = true;
      }
  return forgot ? Changed(freeze(draft, kUnchanged)) : std::nullopt;
}

// Through a format that reports no losses.
Changed convert(const Draft& draft, Format format) {
  const History history = freeze(draft, kUnchanged);
  WriteReport report;
  std::string text;
  try {
    text = write_to_string(history, format, &report);
  } catch (const OutputError&) {
    return std::nullopt;
  }
  if (!report.lossy_steps.empty() || history.transaction_count() == 0) return std::nullopt;
  ByteStream stream = ByteStream::from_memory("converted", text);
  History again = read_history(stream, {.format = format});
  const bool native = format == Format::Jsonl || format == Format::Binary;
  const std::string found = native ? difference(history, again) : "";
  if (!found.empty()) throw std::logic_error("converted to " + std::string(info(format).name) + ": " + found);
  return again;
}

std::vector<Change> make_changes() {
  using enum Change::Claim;
  std::vector<Change> changes{
      {"renamed", Same, rename},
      {"reordered", Same, [](const Draft& d, Random& r) { return freeze(reordered(d, r), kUnchanged); }},
      {"reordered and renamed", Same, [](const Draft& d, Random& r) { return rename(reordered(d, r), r); }},
      {"with one more aborted", Same, add_aborted},
      {"with one more unrelated", Same, add_unrelated},
      {"without one unrelated", Same, drop_unrelated},
      {"at other times", Same, shift_times},
      {"with fewer times", Weakens, forget_times},
      {"with more sessions", Weakens, split_sessions},
      {"without one reader", Weakens, drop_reader},
      {"with fewer answers", Weakens, forget_answers}};
  for (const FormatInfo& row : all_formats())
    if (row.write != nullptr)
      changes.push_back({"converted to " + std::string(row.name), Same,
                         [format = row.format](const Draft& d, Random&) { return convert(d, format); }});
  return changes;
}

}  // namespace

std::span<const Change> all_changes() {
  static const std::vector<Change> changes = make_changes();
  return changes;
}

}  // namespace serval::metamorphic
