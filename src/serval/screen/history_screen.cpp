#include "serval/screen/history_screen.h"

#include <algorithm>
#include <array>

#include <absl/container/flat_hash_set.h>

#include "serval/check/dependency/dependency_levels.h"

namespace serval {
namespace {

// The levels from read-committed up that are decided by an acyclic graph, weakest first: the first one
// that implies a given level is a weakest one that does.
constexpr std::array kFollowed{Level::ReadCommitted,
                               Level::StrongSessionReadCommitted,
                               Level::StrongReadCommitted,
                               Level::SnapshotIsolation,
                               Level::StrongSessionSnapshotIsolation,
                               Level::StrongSnapshotIsolation,
                               Level::RepeatableRead,
                               Level::Serializable,
                               Level::StrongSessionSerializable,
                               Level::Linearizable,
                               Level::StrictSerializable};

GraphShape followed_shape(Level level) {
  const Level followed = *HistoryScreen::followed_level(level);
  GraphShape shape = *shape_of_level(followed);
  shape.session_order = uses_session_order(followed);
  shape.real_time = uses_real_time(followed);
  return shape;
}

}  // namespace

std::optional<Level> HistoryScreen::followed_level(Level level) {
  if (!implies(level, Level::ReadCommitted)) return std::nullopt;
  if (std::ranges::find(kFollowed, level) != kFollowed.end()) return level;
  const auto above = std::ranges::find_if(kFollowed, [&](Level each) { return implies(each, level); });
  return above == kFollowed.end() ? std::nullopt : std::optional(*above);
}

HistoryScreen::HistoryScreen(Level level, Value initial)
    : exact_(followed_level(level) == level),
      only_single_(level == Level::Linearizable),
      digester_(initial),
      order_(followed_shape(level)) {}

HistoryScreen::State HistoryScreen::state() const noexcept {
  if (is_over()) return end_;
  return order_.has_open_keys() ? State::Open : State::Clear;
}

void HistoryScreen::suspect(std::string_view reason) {
  if (is_over()) return;
  end_ = State::Suspicious;
  reason_ = reason;
}

void HistoryScreen::lose(std::string_view reason) {
  if (state() == State::Lost) return;
  end_ = State::Lost;
  reason_ = reason;
}

SessionId HistoryScreen::session(Value label) {
  return sessions_.try_emplace(label, SessionId{static_cast<std::uint32_t>(sessions_.size())}).first->second;
}

// Like find_clock_contradiction (real_time.h), and true if there are no times.
bool HistoryScreen::clock_contradicts(SessionId session, Interval interval) {
  if (session.index >= latest_begin_.size()) latest_begin_.resize(session.index + 1, kUnknownBegin);
  Time& latest = latest_begin_[session.index];
  if (interval == Interval{} || interval.end < interval.begin || interval.end < latest) return true;
  latest = std::max(latest, interval.begin);
  return false;
}

void HistoryScreen::add(ScreenedTransaction transaction) {
  ++transactions_;
  if (is_over()) return;
  operations_ += transaction.operations.size();
  const SessionId of = session(transaction.session);
  if (order_.shape().real_time && clock_contradicts(of, transaction.interval))
    return lose("clocks that contradict themselves");
  if (only_single_ && transaction.operations.size() > 1)
    return lose("transactions of several operations, which linearizable is not about");
  if (transaction.outcome == Outcome::Aborted) {
    digester_.note_keys(transaction);
    if (!digester_.obstacle().empty()) lose(digester_.obstacle());
    return;
  }
  TransactionDigest& digest = digester_.digest(transaction);
  if (!digester_.obstacle().empty()) return lose(digester_.obstacle());
  add_keys();
  const TransactionId t = order_.add(of, transaction.outcome, transaction.interval);
  takes_part_.push_back(false);
  index_writes(t, digest);
  if (is_over()) return;
  if (transaction.outcome == Outcome::Committed)
    take_part(t, digest);
  else
    idle_.emplace(t, std::move(digest));
  work();
}

void HistoryScreen::add_keys() {
  while (initial_versions_.size() < digester_.key_count())
    initial_versions_.push_back(versions_.add(TransactionId::none()));
  blind_.resize(digester_.key_count(), false);
}

void HistoryScreen::index_writes(TransactionId t, TransactionDigest& digest) {
  for (TransactionDigest::Write& write : digest.writes) {
    bool fresh = true;
    if (write.appends) {
      const std::uint32_t previous = write.previous == TransactionDigest::kNone
                                         ? ListScreen::kNone
                                         : digest.writes[write.previous].append;
      write.append = lists_.add(write.key, write.value, t, previous, write.is_last);
      fresh = write.append != ListScreen::kNone;
    } else if (write.is_last) {
      const auto [place, inserted] = written_.try_emplace({write.key, write.value}, VersionId::none());
      if (inserted) place->second = versions_.add(t);
      fresh = inserted;
    } else {
      continue;
    }
    if (!fresh) return lose("values that were written twice");
    release(write.key, write.value);
  }
}

void HistoryScreen::release(KeyId key, Value value) {
  if (waiting_.empty()) return;
  const auto found = waiting_.find({key, value});
  if (found == waiting_.end()) return;
  waiting_count_ -= found->second.size();
  std::ranges::move(found->second, std::back_inserter(retries_));
  waiting_.erase(found);
}

// Writes first, because its reads may show its own appends.
void HistoryScreen::take_part(TransactionId t, TransactionDigest& digest) {
  takes_part_[t.index] = true;
  const bool sees_all = order_.shape().data == GraphShape::Data::All;
  if (digest.contradicts_itself || (digest.varies && sees_all))
    return suspect("a transaction whose reads contradict each other");
  for (const TransactionDigest::Write& write : digest.writes) {
    if (write.appends)
      lists_.count(write.append, initial_versions_[write.key.index]);
    else if (write.is_last && !write.after_read && sees_all)
      write_blindly(write.key, t);
  }
  for (TransactionDigest::Read& read : digest.reads) resolve({t, std::move(read)});
}

// Only the first version of a key may be written without a preceding read.
void HistoryScreen::write_blindly(KeyId key, TransactionId t) {
  const VersionId initial = initial_versions_[key.index];
  if (!versions_[initial].overwriter.is_none()) return lose("writes without a read before them");
  blind_[key.index] = true;
  versions_.overwrite(initial, t);
}

void HistoryScreen::wake(TransactionId writer) {
  const auto found = idle_.find(writer);
  if (found == idle_.end()) return;
  woken_.emplace_back(writer, std::move(found->second));
  idle_.erase(found);
}

void HistoryScreen::work() {
  while (!is_over() && !(woken_.empty() && retries_.empty())) {
    if (woken_.empty()) {
      PendingRead pending = std::move(retries_.back());
      retries_.pop_back();
      resolve(std::move(pending));
    } else {
      auto [t, digest] = std::move(woken_.back());
      woken_.pop_back();
      take_part(t, digest);
    }
  }
  if (order_.is_contradicted()) suspect("a cycle of dependencies");
  if (lists_.is_wasteful()) lose("appends that nobody sees for long");
}

void HistoryScreen::resolve(PendingRead pending) {
  if (is_over()) return;
  pending.read.elements.empty() ? resolve_register(pending) : resolve_list(pending);
}

void HistoryScreen::resolve_list(PendingRead& pending) {
  using Kind = ListScreen::Answer::Kind;
  const KeyId key = pending.read.key;
  const ListScreen::Answer answer = lists_.read(pending.reader, pending.read, initial_versions_[key.index]);
  switch (answer.kind) {
    case Kind::Read:
      return;
    case Kind::Contradiction:
      return suspect("a read of a list that contradicts others");
    case Kind::Missing:
      return wait_for(answer.element, pending);
    case Kind::Idle:
      wake(answer.writer);
      retries_.push_back(std::move(pending));
  }
}

// Also handles reads of empty lists, and of keys that are not known to be either.
void HistoryScreen::resolve_register(PendingRead& pending) {
  const TransactionDigest::Read& read = pending.read;
  const VersionId initial = initial_versions_[read.key.index];
  if (digester_.is_list(read.key)) {
    if (!lists_.read_nothing(pending.reader, read.updates, read.key, initial))
      suspect("two updates of one version");
    return;
  }
  if (digester_.is_initial(read.value)) return observe(pending.reader, initial, read);
  const auto found = written_.find({read.key, read.value});
  if (found == written_.end()) return wait_for(read.value, pending);
  const TransactionId writer = versions_[found->second].writer;
  if (writer == pending.reader) return wait_for(read.value, pending);  // Another must have written it.
  wake(writer);
  observe(pending.reader, found->second, read);
}

void HistoryScreen::observe(TransactionId reader, VersionId version, const TransactionDigest::Read& read) {
  if (!read.updates || order_.shape().data != GraphShape::Data::All) return versions_.read(version, reader);
  versions_.depend_on_writer(version, reader);
  if (versions_[version].overwriter.is_none()) return versions_.overwrite(version, reader);
  if (version == initial_versions_[read.key.index] && blind_[read.key.index])
    return lose("writes without a read before them");
  suspect("two updates of one version");
}

bool HistoryScreen::is_written(const KeyValue& value) const {
  return written_.contains(value) || lists_.has(value.first, value.second);
}

void HistoryScreen::wait_for(Value value, PendingRead& pending) {
  ++waiting_count_;
  waiting_[{pending.read.key, value}].push_back(std::move(pending));
}

void HistoryScreen::settle(std::span<const OpenWrite> open) {
  if (state() == State::Lost) return;
  absl::flat_hash_set<KeyValue> promised;
  for (const OpenWrite& write : open) {
    const KeyValue value(digester_.key(write.key), write.value);
    const bool is_initial = digester_.is_initial(write.value) && !write.appends;
    if (write.value.is_unknown() || is_initial || is_written(value) || !promised.insert(value).second)
      return lose("values that were written twice, or not recorded");
  }
  add_keys();
  operations_ += open.size() + waiting_.size();
  for (const auto& [missing, reads] : waiting_)
    if (!promised.contains(missing)) return suspect("a read of what nobody wrote to stay");
}

std::size_t HistoryScreen::bytes() const noexcept {
  return order_.bytes() + versions_.bytes() + lists_.bytes() + takes_part_.capacity() / 8 +
         written_.capacity() * (sizeof(decltype(written_)::value_type) + 1);
}

}  // namespace serval
