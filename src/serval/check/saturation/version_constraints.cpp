#include "serval/check/saturation/version_constraints.h"

#include <algorithm>
#include <numeric>

#include <absl/container/flat_hash_set.h>

#include "serval/check/saturation/session_writes.h"
#include "serval/inference/external_reads.h"
#include "serval/inference/readers.h"

namespace serval {
namespace {

// A session learned of a version of a key.
struct ChainLink {
  SessionId session;
  std::uint32_t position;  // In the session.
  VersionId version;
};

// The links of every key by session and position: what each session wrote, or what it saw.
class SessionChains {
 public:
  enum class Of { Writes, Reads };

  SessionChains(const History& history, const Relations& relations, Of what, Budget& budget)
      : history_(history), relations_(relations), what_(what), budget_(budget), reads_(history, relations) {
    first_.assign(history.key_count() + 1, 0);
    for_each_link([&](KeyId key, const ChainLink&) { ++first_[key.index + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    links_.resize(first_.back());
    std::vector<std::uint32_t> next = first_;
    // By session and position, so that each key's links arrive sorted.
    for_each_link([&](KeyId key, const ChainLink& link) { links_[next[key.index]++] = link; });
  }

  std::span<const ChainLink> links() const { return links_; }
  // The links of a key are consecutive, and so are those of one session among them.
  bool continues(std::size_t i) const {
    return i > 0 && links_[i - 1].session == links_[i].session && !starts_key(i);
  }
  // [begin, end) of the links of the session with positions below `limit`.
  std::pair<std::size_t, std::size_t> prefix(KeyId key, SessionId session, std::uint32_t limit) const {
    const auto from = links_.begin() + first_[key.index], to = links_.begin() + first_[key.index + 1];
    const auto before = [](const ChainLink& link, std::pair<SessionId, std::uint32_t> bound) {
      return std::pair(link.session, link.position) < bound;
    };
    const auto begin = std::lower_bound(from, to, std::pair(session, 0u), before);
    const auto end = std::lower_bound(begin, to, std::pair(session, limit), before);
    return {static_cast<std::size_t>(begin - links_.begin()), static_cast<std::size_t>(end - links_.begin())};
  }

 private:
  bool starts_key(std::size_t i) const {
    return std::binary_search(first_.begin(), first_.end(), static_cast<std::uint32_t>(i));
  }

  template <class Visit>
  void for_each_link(Visit&& visit) {
    seen_by_.assign(history_.transaction_count(), SessionId::none());
    for (const SessionId session : history_.sessions()) {
      std::uint32_t position = 0;
      for (const TransactionId t : history_.session_transactions(session)) {
        budget_.poll("session guarantees");
        if (relations_.takes_part[t.index]) add_links(session, position, t, visit);
        ++position;
      }
    }
  }

  template <class Visit>
  void add_links(SessionId session, std::uint32_t position, TransactionId t, Visit& visit) {
    if (what_ == Of::Writes) return add_writes(session, position, t, visit);
    for (const ExternalRead& read : reads_.of(t)) {
      if (read.writer.is_none() || seen_by_[read.writer.index] == session) continue;
      seen_by_[read.writer.index] = session;
      add_writes(session, position, read.writer, visit);
    }
  }

  template <class Visit>
  void add_writes(SessionId session, std::uint32_t position, TransactionId writer, Visit& visit) {
    for (const Access& access : relations_.read_write_sets.of(writer))
      if (!access.written.is_none()) visit(access.key, ChainLink{session, position, access.written});
  }

  const History& history_;
  const Relations& relations_;
  Of what_;
  Budget& budget_;
  ExternalReads reads_;
  std::vector<std::uint32_t> first_;  // By key, plus a sentinel.
  std::vector<ChainLink> links_;
  std::vector<SessionId> seen_by_;  // By writer: the last session that learned of it.
};

class Constraints {
 public:
  Constraints(const History& history, const Relations& relations, Level level, Budget& budget)
      : history_(history),
        relations_(relations),
        level_(level),
        budget_(budget),
        reads_(history, relations),
        positions_(positions_in_sessions(history)),
        chains_(history, relations,
                level == Level::MonotonicReads || level == Level::WritesFollowReads
                    ? SessionChains::Of::Reads
                    : SessionChains::Of::Writes,
                budget),
        versions_(static_cast<Vertex>(relations.read_write_sets.versions.size())),
        shown_(keys_that_show_order(history, relations)) {}

  VersionConstraints run() {
    const std::size_t vertices = versions_ + chains_.links().size();
    expects(vertices < 0xFFFFFFFFu, "fewer than 2^32 - 1 vertices");
    VersionConstraints result{.versions = versions_};
    result.graph = build_graph(static_cast<Vertex>(vertices), [this](auto&& emit) {
      stale_.clear();
      chain_edges(emit);
      if (relations_.has_separate_writes) shown_edges(emit);
      for (const SessionId session : history_.sessions()) judge_session(session, emit);
    });
    result.stale = std::move(stale_);
    return result;
  }

 private:
  Vertex latest_of(std::size_t link) const { return versions_ + static_cast<Vertex>(link); }

  template <class Emit>
  void chain_edges(Emit& emit) {
    const std::span<const ChainLink> links = chains_.links();
    for (std::size_t i = 0; i < links.size(); ++i) {
      budget_.poll("session guarantees");
      emit(links[i].version.index, latest_of(i));
      if (chains_.continues(i)) emit(latest_of(i - 1), latest_of(i));
    }
  }

  // If the version order of a key is shown, each version leads to the next. For lists, this includes
  // versions that their writer followed by others, so that what comes before and after them stays
  // connected. Only the last append of a transaction counts here: an earlier one that got lost says
  // nothing.
  template <class Emit>
  void shown_edges(Emit& emit) {
    const ReadWriteSets& read_write_sets = relations_.read_write_sets;
    for (auto v = static_cast<std::uint32_t>(history_.key_count()); v < versions_; ++v) {
      const KeyId key = history_.key(read_write_sets.write_operation[v]);
      if (!shown_[key.index]) continue;
      const Version& version = read_write_sets.versions[v];
      const auto lead_to = [&](VersionId later) {
        if (later.index > v) emit(v, later.index);
      };
      if (!version.overwriter.is_none()) lead_to(next_version(v, version.overwriter, key));
      for (const TransactionId later : relations_.later_writers(VersionId{v}))
        lead_to(final_version(relations_, later, key));
    }
  }
  // Versions of a list are numbered in list order; the unseen one is its writer's last.
  VersionId next_version(std::uint32_t v, TransactionId writer, KeyId key) const {
    const ReadWriteSets& read_write_sets = relations_.read_write_sets;
    const bool follows = v + 1 < versions_ && read_write_sets.versions[v + 1].writer == writer &&
                         history_.key(read_write_sets.write_operation[v + 1]) == key;
    return follows ? VersionId{v + 1} : final_version(relations_, writer, key);
  }

  template <class Emit>
  void judge_session(SessionId session, Emit& emit) {
    forget();
    for (const TransactionId t : history_.session_transactions(session)) {
      if (!relations_.takes_part[t.index]) continue;
      const std::span<const ExternalRead> reads = reads_.of(t);
      find_limits(t, session, reads);
      for (const ExternalRead& read : reads) {
        budget_.poll("session guarantees");
        for (const auto& [of, limit] : limits_) require(t, read, of, limit, emit);
      }
      for (const ExternalRead& read : reads) learn(read.writer);
    }
  }

  // What `t` must not miss, as prefixes of chains.
  void find_limits(TransactionId t, SessionId session, std::span<const ExternalRead> reads) {
    limits_.clear();
    if (level_ == Level::ReadYourWrites || level_ == Level::MonotonicReads) {
      limits_.push_back({session, positions_[t.index]});
      return;
    }
    if (level_ == Level::Pram) {
      std::ranges::sort(known_sessions_);
      for (const SessionId of : known_sessions_) limits_.push_back({of, known_[of.index]});
      raise_limit(session, positions_[t.index]);
    }
    for (const ExternalRead& read : reads)
      if (!read.writer.is_none()) raise_limit(history_.session(read.writer), positions_[read.writer.index]);
  }
  void raise_limit(SessionId session, std::uint32_t limit) {
    const auto found = std::ranges::find(limits_, session, &Limit::session);
    if (found == limits_.end())
      limits_.push_back({session, limit});
    else
      found->position = std::max(found->position, limit);
  }

  // Reading from T5 makes T5 itself known to later transactions of the session.
  void learn(TransactionId writer) {
    if (writer.is_none()) return;
    const SessionId session = history_.session(writer);
    std::uint32_t& known = known_[session.index];
    if (known == 0) known_sessions_.push_back(session);
    known = std::max(known, positions_[writer.index] + 1);
  }
  void forget() {
    for (const SessionId session : known_sessions_) known_[session.index] = 0;
    known_sessions_.clear();
    known_.resize(history_.session_count(), 0);
  }

  template <class Emit>
  void require(TransactionId reader, const ExternalRead& read, SessionId session, std::uint32_t limit,
               Emit& emit) {
    const auto [begin, end] = chains_.prefix(read.key, session, limit);
    if (begin == end) return;
    if (read.writer.is_none()) {
      const VersionId missed = chains_.links()[end - 1].version;
      stale_.push_back({relations_.read_write_sets.versions[missed.index].writer, reader, read.key});
    } else {
      emit(latest_of(end - 1), read.version.index);
    }
  }

  struct Limit {
    SessionId session;
    std::uint32_t position;
  };

  const History& history_;
  const Relations& relations_;
  Level level_;
  Budget& budget_;
  ExternalReads reads_;
  std::vector<std::uint32_t> positions_;
  SessionChains chains_;
  Vertex versions_;
  std::vector<bool> shown_;  // By key.
  std::vector<Limit> limits_;
  std::vector<std::uint32_t> known_;       // By session: how far the current session has read from it.
  std::vector<SessionId> known_sessions_;  // The sessions from which it has read.
  std::vector<StaleInitialRead> stale_;
};

}  // namespace

std::vector<bool> keys_with_repeated_appends(const History& history) {
  std::vector<bool> repeated(history.key_count(), false);
  absl::flat_hash_set<std::pair<KeyId, Value>> appended;
  for (const TransactionId t : history.transactions())
    for (const OperationId op : history.operations(t))
      if (history.kind(op) == OperationKind::Append &&
          !appended.emplace(history.key(op), history.value(op)).second)
        repeated[history.key(op).index] = true;
  return repeated;
}

std::vector<bool> keys_that_show_order(const History& history, const Relations& relations) {
  std::vector<bool> shown(history.key_count(), false);
  if (!relations.has_separate_writes) return shown;
  const std::vector<bool> repeated = keys_with_repeated_appends(history);
  for (std::size_t key = 0; key < relations.shows_order.size(); ++key)
    shown[key] = relations.shows_order[key] && !repeated[key];
  return shown;
}

bool is_session_guarantee(Level level) {
  return level == Level::MonotonicReads || level == Level::MonotonicWrites ||
         level == Level::ReadYourWrites || level == Level::WritesFollowReads || level == Level::Pram;
}

VersionConstraints constrain_versions(const History& history, const Relations& relations, Level level,
                                      Budget& budget) {
  return Constraints(history, relations, level, budget).run();
}

}  // namespace serval
