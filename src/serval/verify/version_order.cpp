#include <algorithm>
#include <limits>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "serval/verify/holds.h"
#include "serval/verify/reads.h"

namespace serval::verify {
namespace {

// The versions of a key that a session knows, by position: the latest of all up to there.
struct Known {
  std::uint32_t place;
  std::uint32_t rank;
};

class VersionOrder {
 public:
  VersionOrder(const History& history, const Holds& claim)
      : history_(history), claim_(claim), facts_(history), observed_(facts_) {}

  Flaw flaw() {
    if (!claim_.snapshot.empty() || !claim_.commit_order.empty())
      return fmt::format("the witness for {} is a version order alone", name_of(claim_.proven));
    if (Flaw flaw = flaw_of_attendance()) return flaw;
    if (const OperationId open = observed_.first_open(); !open.is_none())
      return fmt::format("it is not certain what {} saw", print_in_transaction(history_, open));
    const std::vector<bool> repeated = lists_with_repeated_appends(facts_);
    for (const KeyId key : history_.key_ids())
      if (facts_.is_list(key) && !repeated[key.index])
        if (Flaw flaw = flaw_of_shown_order(key)) return flaw;
    note_known_versions();
    for (const SessionId s : history_.sessions())
      if (Flaw flaw = flaw_of_session(s)) return flaw;
    return std::nullopt;
  }

 private:
  bool counts_what_was_seen() const {
    return claim_.proven == Level::MonotonicReads || claim_.proven == Level::WritesFollowReads;
  }
  // By writer and key; 0 is the initial version.
  std::uint32_t rank(TransactionId writer, KeyId key) const {
    return writer.is_none() ? 0 : ranks_.at({writer, key});
  }

  Flaw flaw_of_attendance() {
    if (claim_.version_order.rows() != history_.key_count())
      return "the number of version orders differs from the number of keys";
    for (const KeyId key : history_.key_ids()) {
      std::uint32_t next = 0;
      for (const TransactionId t : claim_.version_order[key.index]) {
        if (!facts_.has(t) || !facts_.participates(t)) return "orders a version that does not count";
        if (!ranks_.emplace(std::pair(t, key), ++next).second)
          return fmt::format("{} occurs twice among the writers of {}", name(history_, t),
                             history_.format_key(key));
      }
    }
    return flaw_of_absence();
  }
  Flaw flaw_of_absence() {
    for (const TransactionId t : history_.transactions()) {
      if (!facts_.participates(t)) continue;
      for (const OperationId op : history_.operations(t)) {
        if (is_predicate(history_.kind(op)) || !value_written(history_, op)) continue;
        if (!ranks_.contains({t, history_.key(op)}))
          return fmt::format("{} is not among the writers of {}", name(history_, t),
                             history_.format_key(history_.key(op)));
        std::vector<KeyId>& keys = keys_of_[t];
        if (std::ranges::find(keys, history_.key(op)) == keys.end()) keys.push_back(history_.key(op));
      }
    }
    std::size_t written = 0;
    for (const auto& [t, keys] : keys_of_) written += keys.size();
    return written == ranks_.size() ? std::nullopt : Flaw("orders a transaction that did not write the key");
  }

  // The writers must be in the order in which the list shows their last appends, followed by those it
  // does not show.
  Flaw flaw_of_shown_order(KeyId key) const {
    const auto& shown = facts_.lists().shown(key, facts_.participants());
    if (!shown) return fmt::format("reads of {} contradict each other", history_.format_key(key));
    absl::flat_hash_map<Value, std::size_t> place;
    for (const TransactionId t : claim_.version_order[key.index])
      place.emplace(last_append(t, key), place.size());
    std::size_t next = 0;
    for (const Value element : *shown) {
      const auto found = place.find(element);
      if (found == place.end()) continue;
      if (found->second != next++)
        return fmt::format("the order of the writers of {} contradicts its reads", history_.format_key(key));
      place.erase(found);  // Showing it again is a fault of the read and says nothing about the order.
    }
    return std::nullopt;
  }
  Value last_append(TransactionId t, KeyId key) const {
    Value last;
    for (const OperationId op : history_.operations(t))
      if (history_.kind(op) == OperationKind::Append && history_.key(op) == key) last = history_.value(op);
    return last;
  }

  void note_known_versions() {
    known_.resize(history_.key_count());
    for (const SessionId s : history_.sessions())
      for (const TransactionId t : history_.session_transactions(s)) {
        if (!facts_.participates(t)) continue;
        if (!counts_what_was_seen()) note(s, t, t);
        if (counts_what_was_seen())
          for (const SeenWrite& seen : observed_.of(t)) note(s, t, seen.writer);
      }
  }
  // At `t`, session `s` learns about what `writer` wrote.
  void note(SessionId s, TransactionId t, TransactionId writer) {
    const auto keys = keys_of_.find(writer);
    if (keys == keys_of_.end()) return;
    for (const KeyId key : keys->second) {
      auto& sessions = known_[key.index];
      if (sessions.empty() || sessions.back().first != s) sessions.emplace_back(s, std::vector<Known>{});
      std::vector<Known>& all = sessions.back().second;
      const std::uint32_t latest = std::max(all.empty() ? 0 : all.back().rank, rank(writer, key));
      all.push_back({facts_.session_position(t), latest});
    }
  }

  // The latest version of the key that session `s` knows from transactions before position `limit`.
  std::uint32_t latest_known(KeyId key, SessionId s, std::uint32_t limit) const {
    const auto& sessions = known_[key.index];
    const auto found =
        std::ranges::lower_bound(sessions, s, {}, [](const auto& entry) { return entry.first; });
    if (found == sessions.end() || found->first != s) return 0;
    const auto end = std::ranges::lower_bound(found->second, limit, {}, &Known::place);
    return end == found->second.begin() ? 0 : (end - 1)->rank;
  }

  // At pram: how far a session has read from each other one.
  using Reach = absl::flat_hash_map<SessionId, std::uint32_t>;

  Flaw flaw_of_session(SessionId s) {
    Reach reach;
    for (const TransactionId t : history_.session_transactions(s)) {
      if (!facts_.participates(t)) continue;
      for (const SeenWrite& seen : observed_.of(t)) {
        if (must_see(t, seen.key, reach) <= rank(seen.writer, seen.key)) continue;
        return fmt::format("{} saw an older version than it had to see",
                           print_in_transaction(history_, seen.read));
      }
      for (const SeenWrite& seen : observed_.of(t)) {
        if (seen.writer.is_none()) continue;
        std::uint32_t& own = reach[history_.session(seen.writer)];
        own = std::max(own, facts_.session_position(seen.writer) + 1);
      }
    }
    return std::nullopt;
  }

  std::uint32_t must_see(TransactionId t, KeyId key, const Reach& reach) const {
    const Level level = claim_.proven;
    std::uint32_t latest = 0;
    const auto include = [&](SessionId s, std::uint32_t limit) {
      latest = std::max(latest, latest_known(key, s, limit));
    };
    if (level == Level::ReadYourWrites || level == Level::MonotonicReads || level == Level::Pram)
      include(history_.session(t), facts_.session_position(t));
    if (level == Level::Pram)
      for (const auto& [s, limit] : reach) include(s, limit);
    if (level == Level::MonotonicWrites || level == Level::WritesFollowReads || level == Level::Pram)
      for (const SeenWrite& other : observed_.of(t))
        if (!other.writer.is_none())
          include(history_.session(other.writer), facts_.session_position(other.writer));
    return latest;
  }

  const History& history_;
  const Holds& claim_;
  Facts facts_;
  CertainReads observed_;
  absl::flat_hash_map<std::pair<TransactionId, KeyId>, std::uint32_t> ranks_;
  absl::flat_hash_map<TransactionId, std::vector<KeyId>> keys_of_;
  std::vector<std::vector<std::pair<SessionId, std::vector<Known>>>> known_;  // By key.
};

}  // namespace

bool shown_by_version_order(Level level) {
  return level == Level::MonotonicReads || level == Level::MonotonicWrites ||
         level == Level::ReadYourWrites || level == Level::WritesFollowReads || level == Level::Pram;
}

std::vector<bool> lists_with_repeated_appends(const Facts& facts) {
  const History& history = facts.history();
  std::vector<bool> repeated(history.key_count(), false);
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationId op{i};
    if (history.kind(op) == OperationKind::Append &&
        facts.lists().appended(history.key(op), history.value(op)).all > 1)
      repeated[history.key(op).index] = true;
  }
  return repeated;
}

Flaw flaw_of_version_order(const History& history, const Holds& claim) {
  return VersionOrder(history, claim).flaw();
}

}  // namespace serval::verify
