#pragma once
// A miniature database that keeps its level by construction, and produces everything that makes
// histories hard to judge: few values that are rewritten again and again, including the initial one,
// compare-and-sets, inserts and deletes, unrecorded values, failing operations, transactions that roll
// back, and transactions with an unknown end.
//
//   SmallDatabase database({.keeps = SmallDatabase::Keeps::StrictSerializable, .seed = 7});
//   const History history = std::move(database).run();
//
// Every step takes effect at a moment between its call and its answer. Reads use a snapshot that the
// first operation takes (ReadCommitted: the current state). At the commit, what was written must not
// have changed since the snapshot (Snapshot), nor what was read (StrictSerializable).

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "serval/base/random.h"
#include "serval/history/history_builder.h"

namespace serval::online {

class SmallDatabase {
 public:
  enum class Keeps : std::uint8_t { ReadCommitted, Snapshot, StrictSerializable };
  enum class Times : std::uint8_t { OfTransactions, OfOperations };
  struct Options {
    Keeps keeps = Keeps::StrictSerializable;
    Times times = Times::OfOperations;
    std::uint64_t seed = 1;
    std::uint64_t transactions = 60;
    std::uint64_t sessions = 4;
    double lies = 0;  // Share of reads that return an arbitrary value.
  };

  explicit SmallDatabase(const Options& options)
      : options_(options),
        random_(options.seed),
        sessions_(1 + random_.below(options.sessions)),
        keys_(1 + random_.below(3)) {
    initial_ = random_.chance(0.5) ? Value::integer(0) : Value::nil();
    builder_.set_initial_value(initial_);
    for (Key& key : keys_) key.versions.push_back({.commit = 0, .value = initial_});
  }

  History run() && {
    while (begun_ < options_.transactions || any_open()) {
      Session& next = *std::ranges::min_element(sessions_, {}, &Session::effect);
      step(next);
    }
    return std::move(builder_).freeze();
  }

 private:
  struct Version {
    std::uint64_t commit;
    Value value;
  };
  struct Key {
    std::vector<Version> versions;
  };
  struct Session {
    Time last_answer = 0, effect = 0;
    std::optional<TransactionId> transaction;
    Time begin = 0;
    std::uint64_t operations_left = 0;
    std::optional<std::uint64_t> snapshot;
    std::map<std::size_t, Value> written;
    std::map<std::size_t, std::uint64_t> read;  // The commit that wrote what was seen.
  };

  bool any_open() const {
    return std::ranges::any_of(sessions_, [](const Session& s) { return s.transaction.has_value(); });
  }

  void step(Session& session) {
    if (!session.transaction && begun_ == options_.transactions) {
      session.effect = kUnknownEnd;
      return;
    }
    const Time effect = session.effect;
    const Time call =
        session.last_answer +
        static_cast<Time>(random_.below(static_cast<std::uint64_t>(effect - session.last_answer + 1)));
    const Interval time{call, effect + static_cast<Time>(random_.below(20))};
    if (!session.transaction) begin(session, call);
    if (session.operations_left > 0)
      operate(session, time);
    else
      end(session, time);
    session.last_answer = time.end;
    session.effect = time.end + static_cast<Time>(random_.below(20));
  }

  void begin(Session& session, Time call) {
    const auto number = static_cast<std::int64_t>(&session - sessions_.data());
    session.transaction = builder_.begin_transaction(builder_.session(Value::integer(number)),
                                                     Value::integer(static_cast<std::int64_t>(++begun_)));
    session.begin = call;
    session.operations_left = 1 + random_.below(4);
    session.snapshot.reset();
    session.written.clear();
    session.read.clear();
  }

  const Version& visible(const Session& session, std::size_t key) const {
    const std::vector<Version>& versions = keys_[key].versions;
    if (options_.keeps == Keeps::ReadCommitted) return versions.back();
    const auto later = [&](const Version& version) { return version.commit > *session.snapshot; };
    return *std::prev(std::ranges::find_if(versions, later));
  }

  Value look(Session& session, std::size_t key) {
    if (const auto own = session.written.find(key); own != session.written.end()) return own->second;
    const Version& version = visible(session, key);
    session.read.try_emplace(key, version.commit);
    return version.value;
  }

  Value any_value() { return Value::integer(static_cast<std::int64_t>(random_.below(4))); }

  void operate(Session& session, Interval time) {
    --session.operations_left;
    if (!session.snapshot) session.snapshot = commits_;
    const std::size_t key = random_.below(keys_.size());
    Operation operation{.key = builder_.key(Value::integer(static_cast<std::int64_t>(key)))};
    if (options_.times == Times::OfOperations) operation.time = time;
    choose(session, key, operation);
    if (options_.lies > 0 && operation.kind == OperationKind::Read && random_.chance(options_.lies))
      operation.value = any_value();
    if (random_.chance(0.05) && operation.kind <= OperationKind::Write) operation.value = Value::unknown();
    const bool fails = random_.chance(0.05);
    if (fails && options_.times == Times::OfOperations) operation.time.end = kUnknownEnd;
    builder_.add(*session.transaction, operation);
    if (fails) close(session, Outcome::Aborted, time.end);
  }

  void choose(Session& session, std::size_t key, Operation& operation) {
    const std::uint64_t draw = random_.below(10);
    operation.value = any_value();
    if (draw < 4) {
      operation.kind = OperationKind::Read;
      operation.value = look(session, key);
    } else if (draw < 6) {
      operation.kind = OperationKind::Write;
      session.written[key] = operation.value;
    } else if (draw < 7) {
      remove(session, key, operation);
    } else if (draw < 8) {
      insert(session, key, operation);
    } else {
      compare_and_set(session, key, operation);
    }
  }

  // An operation that finds no row is a read of nothing.
  void remove(Session& session, std::size_t key, Operation& operation) {
    const bool found = !look(session, key).is_nil();
    operation.kind = found ? OperationKind::Delete : OperationKind::Read;
    operation.value = Value::nil();
    if (found) session.written[key] = Value::nil();
  }

  void insert(Session& session, std::size_t key, Operation& operation) {
    const Value there = look(session, key);
    operation.kind = there.is_nil() ? OperationKind::Insert : OperationKind::InsertMiss;
    if (there.is_nil())
      session.written[key] = operation.value;
    else
      operation.value = there;
  }

  void compare_and_set(Session& session, std::size_t key, Operation& operation) {
    const Value there = look(session, key);
    operation.expected = random_.chance(0.7) ? there : any_value();
    operation.kind =
        operation.expected == there ? OperationKind::CompareAndSet : OperationKind::CompareAndSetMiss;
    if (operation.kind == OperationKind::CompareAndSet)
      session.written[key] = operation.value;
    else
      operation.value = there;
  }

  bool may_commit(const Session& session) const {
    const auto changed = [&](std::size_t key, std::uint64_t since) {
      return keys_[key].versions.back().commit > since;
    };
    if (options_.keeps == Keeps::ReadCommitted) return true;
    for (const auto& [key, value] : session.written)
      if (changed(key, *session.snapshot)) return false;
    if (options_.keeps == Keeps::Snapshot) return true;
    return std::ranges::none_of(session.read,
                                [&](const auto& seen) { return changed(seen.first, seen.second); });
  }

  void end(Session& session, Interval time) {
    const bool commits = may_commit(session) && !random_.chance(0.1);
    if (commits && !session.written.empty()) ++commits_;
    if (commits)
      for (const auto& [key, value] : session.written) keys_[key].versions.push_back({commits_, value});
    const bool heard = !random_.chance(0.1);
    close(session,
          !heard    ? Outcome::Indeterminate
          : commits ? Outcome::Committed
                    : Outcome::Aborted,
          heard ? time.end : kUnknownEnd);
  }

  void close(Session& session, Outcome outcome, Time end) {
    builder_.set_outcome(*session.transaction, outcome);
    builder_.set_interval(*session.transaction, {session.begin, end});
    session.transaction.reset();
  }

  Options options_;
  Random random_;
  std::vector<Session> sessions_;
  std::vector<Key> keys_;
  Value initial_;
  HistoryBuilder builder_;
  std::uint64_t begun_ = 0, commits_ = 0;
};

}  // namespace serval::online
