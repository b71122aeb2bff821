#include "serval/formats/jepsen/jepsen_events.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace serval {
namespace {

using Type = JepsenEvent::Type;

// A begin or an end. Events of equal time are ordered by rank: begins, then what one session does within that
// tick, then ends, so that no transaction ends before another begins unless it does so in the history.
enum class Rank : std::uint8_t { Begins, WithinSession, Ends };

struct Moment {
  Time time;
  Rank rank;
  std::uint32_t step;  // Place in its session: 2i for the begin, 2i + 1 for the end of the i-th transaction.
  TransactionId transaction;
  bool is_begin;
  auto key() const { return std::tuple(time, rank, step, transaction.index); }
};

Type completion_of(Outcome outcome) {
  if (outcome == Outcome::Committed) return Type::Ok;
  return outcome == Outcome::Aborted ? Type::Fail : Type::Info;
}

bool is_timed(const History& history, TransactionId t) {
  const Interval time = history.interval(t);
  if (time.begin < 0) return false;
  return history.outcome(t) == Outcome::Indeterminate || (time.end != kUnknownEnd && time.begin <= time.end);
}

// Adds the moments of a session in order. False if transactions overlap or a time is unknown.
bool add_session(const History& history, SessionId session, std::vector<Moment>& moments) {
  std::uint32_t step = 0;
  Time last_end = -1;
  for (const TransactionId t : history.session_transactions(session)) {
    const Interval time = history.interval(t);
    if (!is_timed(history, t) || time.begin < last_end) return false;
    const bool touches = step > 0 && time.begin == last_end;
    if (touches && !moments.back().is_begin) moments.back().rank = Rank::WithinSession;
    moments.push_back({time.begin, touches ? Rank::WithinSession : Rank::Begins, step, t, true});
    if (history.outcome(t) == Outcome::Indeterminate) {
      last_end = time.begin;  // Its :info needs no time; the next invocation follows it.
    } else {
      moments.push_back({time.end, Rank::Ends, step + 1, t, false});
      last_end = time.end;
    }
    step += 2;
  }
  return true;
}

// If two sessions both go from one transaction to the next within the same tick, any sequence of their
// events would order transactions that the history leaves unordered.
bool ticks_are_clear(const History& history, const std::vector<Moment>& sorted) {
  const Moment* last = nullptr;
  for (const Moment& moment : sorted) {
    if (moment.rank != Rank::WithinSession) continue;
    if (last != nullptr && last->time == moment.time &&
        history.session(last->transaction) != history.session(moment.transaction))
      return false;
    last = &moment;
  }
  return true;
}

std::optional<std::vector<Moment>> moments_of(const History& history) {
  std::vector<Moment> moments;
  moments.reserve(history.transaction_count() * 2);
  for (const SessionId session : history.sessions())
    if (!add_session(history, session, moments)) return std::nullopt;
  std::ranges::sort(moments, {}, &Moment::key);
  if (!ticks_are_clear(history, moments)) return std::nullopt;
  return moments;
}

// Puts the moments in sequence. The index of a completion is its label, and an invocation takes the
// first free index. An :info is placed where its label says, but before the next invocation of its
// session.
class EventRow {
 public:
  explicit EventRow(const History& history)
      : history_(history), open_(history.session_count(), TransactionId::none()) {}

  std::vector<JepsenEvent> of(const std::vector<Moment>& moments) {
    for (const Moment& moment : moments) {
      if (moment.is_begin) {
        begin(moment);
      } else {
        const std::int64_t label = label_of(moment.transaction);
        end_open_before(label);
        add({moment.transaction, completion_of(history_.outcome(moment.transaction)), moment.time}, label);
      }
    }
    end_open_before(std::numeric_limits<std::int64_t>::max());
    return std::move(events_);
  }
  // False if the labels leave no room for the invocations: then the indexes are meaningless.
  bool labels_fit() const noexcept { return labels_fit_; }

 private:
  using Labelled = std::pair<std::int64_t, std::uint32_t>;

  // -1, which never fits, for a label that is not an integer.
  std::int64_t label_of(TransactionId t) const {
    return history_.label(t).is_integer() ? history_.label(t).as_integer() : -1;
  }
  void add(JepsenEvent event, std::int64_t index) {
    labels_fit_ = labels_fit_ && index >= next_;
    next_ = index + 1;
    event.index = index;
    events_.push_back(event);
  }
  void begin(const Moment& moment) {
    const TransactionId t = moment.transaction;
    TransactionId& open = open_[history_.session(t).index];
    if (!open.is_none()) end_open_before(label_of(open));
    end_open(open);
    while (!waiting_.empty() && waiting_.top().first == next_) end_open_before(next_ + 1);
    if (is_lone(t)) return add({t, Type::LoneInvoke, moment.time}, next_);
    add({t, Type::Invoke, moment.time}, next_);
    if (history_.outcome(t) != Outcome::Indeterminate) return;
    open = t;
    waiting_.emplace(label_of(t), t.index);
  }
  // The label of `t` is the index of its invocation, so `t` can only be an invocation without an :info.
  bool is_lone(TransactionId t) const {
    const TransactionHints* hints = history_.hints(t);
    return history_.outcome(t) == Outcome::Indeterminate && label_of(t) == next_ &&
           history_.session_transactions(history_.session(t)).back() == t &&
           (hints == nullptr || hints->error.empty());
  }
  void end_open_before(std::int64_t label) {
    while (!waiting_.empty() && waiting_.top().first < label) {
      const TransactionId t{waiting_.top().second};
      waiting_.pop();
      TransactionId& open = open_[history_.session(t).index];
      if (open == t) end_open(open);
    }
  }
  void end_open(TransactionId& open) {
    if (open.is_none()) return;
    const TransactionId t = std::exchange(open, TransactionId::none());
    add({t, Type::Info}, label_of(t));
  }

  const History& history_;
  std::vector<JepsenEvent> events_;
  std::vector<TransactionId> open_;  // By session: the indeterminate transaction without an :info yet.
  std::priority_queue<Labelled, std::vector<Labelled>, std::greater<>> waiting_;  // May also hold ended ones.
  std::int64_t next_ = 0;                                                         // The first free index.
  bool labels_fit_ = true;
};

// Only completions, for a history without times.
std::vector<Moment> ends_of(const History& history) {
  std::vector<Moment> moments;
  moments.reserve(history.transaction_count());
  for (const TransactionId t : history.transactions()) moments.push_back({-1, Rank::Ends, 0, t, false});
  return moments;
}

// Whether the reader will use the :time fields; see docs/formats/jepsen-edn.md.
bool times_ascend(const std::vector<JepsenEvent>& events) {
  Time last = -1;
  for (const JepsenEvent& event : events) {
    if (event.type == Type::Info) continue;
    if (event.time <= last) return false;
    last = event.time;
  }
  return true;
}

}  // namespace

std::vector<JepsenEvent> jepsen_events(const History& history, const Notice& lossy) {
  std::optional<std::vector<Moment>> moments;
  if (history.has_times()) moments = moments_of(history);
  if (history.has_times() && !moments)
    lossy("dropped all times: some are unknown, negative, or make transactions of one session overlap");
  EventRow row(history);
  std::vector<JepsenEvent> events = row.of(moments ? *moments : ends_of(history));
  if (!row.labels_fit()) {
    lossy("replaced the labels of transactions by their place in the file");
    for (std::size_t i = 0; i < events.size(); ++i) events[i].index = static_cast<std::int64_t>(i);
  }
  if (moments && !times_ascend(events))
    lossy("equal times become places in the file; what they order stays the same");
  return events;
}

}  // namespace serval
