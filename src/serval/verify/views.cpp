#include "serval/verify/views.h"

#include <algorithm>

#include <fmt/format.h>

#include "serval/history/notation.h"
#include "serval/verify/observed_reads.h"

namespace serval::verify {
namespace {

// `missed` overwrote what `observed` saw and precedes its reader; it must not lead to any of `ends`.
struct Question {
  std::size_t observed;
  CommitPosition missed;
  std::vector<CommitPosition> ends;
};

class Views {
 public:
  Views(const History& history, const Holds& claim)
      : history_(history), claim_(claim), observed_(history, claim.commit_order) {}

  Flaw flaw() {
    if (!claim_.snapshot.empty()) return "this level has no snapshot positions";
    if (Flaw flaw = observed_.flaw()) return flaw;
    if (claim_.proven == Level::CursorStability) return flaw_of_updates();
    if (claim_.proven == Level::ParallelSnapshotIsolation)
      if (Flaw flaw = flaw_of_sessions()) return flaw;
    collect_questions();
    collect_dependencies();
    return flaw_of_questions();
  }

 private:
  std::string name_at(CommitPosition position) const { return name(history_, claim_.commit_order[position]); }
  std::string formatted(const ObservedRead& observed) const {
    return fmt::format("{} of {}", print_operation(history_, observed.read), name_at(observed.reader));
  }

  Flaw flaw_of_updates() const {
    for (const ObservedRead& observed : observed_.all()) {
      const CommitPosition next = observed_.next_writer(observed);
      if (next < observed.reader && observed_.writes(observed.reader, observed.key))
        return fmt::format("{} wrote {} between {} and the reader's own write", name_at(next),
                           history_.format_key(observed.key), formatted(observed));
    }
    return std::nullopt;
  }

  Flaw flaw_of_sessions() const {
    for (const SessionId s : history_.sessions()) {
      CommitPosition before = kInitially;
      for (const TransactionId t : history_.session_transactions(s)) {
        const CommitPosition now = observed_.position(t);
        if (now == kInitially) continue;
        if (before != kInitially && before > now)
          return fmt::format("{} comes before {}, which precedes it in its session", name_at(now),
                             name_at(before));
        before = now;
      }
    }
    return std::nullopt;
  }

  void collect_questions() {
    const std::vector<ObservedRead>& all = observed_.all();
    std::vector<CommitPosition> seen_before;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == 0 || all[i - 1].reader != all[i].reader) seen_before.clear();
      const CommitPosition missed = observed_.next_writer(all[i]);
      if (missed < all[i].reader) {
        if (claim_.proven != Level::MonotonicView)
          questions_.push_back({i, missed, {all[i].reader}});
        else if (!seen_before.empty())
          questions_.push_back({i, missed, seen_before});
      }
      if (all[i].source != kInitially) seen_before.push_back(all[i].source);
    }
  }

  void collect_dependencies() {
    successors_.resize(claim_.commit_order.size());
    for (std::uint32_t key = 0; key < history_.key_count(); ++key) {
      const std::vector<CommitPosition>& writers = observed_.writers(KeyId{key});
      for (std::size_t i = 0; i + 1 < writers.size(); ++i) successors_[writers[i]].push_back(writers[i + 1]);
    }
    for (const ObservedRead& observed : observed_.all())
      if (observed.source != kInitially) successors_[observed.source].push_back(observed.reader);
    if (claim_.proven != Level::ParallelSnapshotIsolation) return;
    for (const SessionId s : history_.sessions()) {
      CommitPosition before = kInitially;
      for (const TransactionId t : history_.session_transactions(s)) {
        const CommitPosition now = observed_.position(t);
        if (now == kInitially) continue;
        if (before != kInitially) successors_[before].push_back(now);
        before = now;
      }
    }
  }

  Flaw flaw_of_questions() {
    std::ranges::stable_sort(questions_, {}, &Question::missed);
    std::vector<std::uint64_t> marks(claim_.commit_order.size(), 0);
    for (std::size_t first = 0; first < questions_.size(); first += 64) {
      const auto some =
          std::span(questions_).subspan(first, std::min<std::size_t>(64, questions_.size() - first));
      if (Flaw flaw = flaw_of_some(some, marks)) return flaw;
    }
    return std::nullopt;
  }

  // Every dependency points forward in the order, so one pass propagates each mark completely.
  Flaw flaw_of_some(std::span<const Question> some, std::vector<std::uint64_t>& marks) const {
    CommitPosition last = 0;
    for (const Question& question : some) last = std::max(last, std::ranges::max(question.ends));
    const CommitPosition from = some.front().missed;
    if (last < from) return std::nullopt;
    std::fill(marks.begin() + from, marks.begin() + last + 1, 0);
    for (std::size_t bit = 0; bit < some.size(); ++bit)
      if (some[bit].missed <= last) marks[some[bit].missed] |= std::uint64_t{1} << bit;
    for (CommitPosition at = from; at <= last; ++at)
      for (const CommitPosition next : successors_[at])
        if (next <= last) marks[next] |= marks[at];
    for (std::size_t bit = 0; bit < some.size(); ++bit)
      for (const CommitPosition end : some[bit].ends)
        if (end >= from && (marks[end] >> bit & 1) != 0)
          return fmt::format("{} misses {}, which leads to {}",
                             formatted(observed_.all()[some[bit].observed]), name_at(some[bit].missed),
                             name_at(end));
    return std::nullopt;
  }

  const History& history_;
  const Holds& claim_;
  ObservedReads observed_;
  std::vector<Question> questions_;
  std::vector<std::vector<CommitPosition>> successors_;
};

}  // namespace

bool is_view_level(Level level) {
  return level == Level::CursorStability || level == Level::MonotonicView || level == Level::ConsistentView ||
         level == Level::ParallelSnapshotIsolation;
}

Flaw flaw_of_views(const History& history, const Holds& claim) { return Views(history, claim).flaw(); }

}  // namespace serval::verify
