#include "oracle/random_history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace serval::oracle {
namespace {

using State = std::map<int, int>;  // Key to value; untouched keys are absent.

enum class Mood { Ordinary, Hostile };

// The properties of this history's database and workload.
struct Temper {
  Temper(Random& random, Mood mood) : Temper(random) {
    if (mood == Mood::Ordinary) return;
    for (double* chance :
         {&blind, &duplicates, &rewrites, &nils, &deletes, &not_committed, &unknown, &conditional})
      *chance = random.chance(0.5) ? 0.0 : 0.3;
  }
  explicit Temper(Random& random)
      : keys(1 + static_cast<int>(random.below(3))),
        sessions(1 + static_cast<int>(random.below(4))),
        stale(random.chance(0.5) ? 0.0 : random.unit() * 0.6),
        torn(random.chance(0.7) ? 0.0 : 0.3),
        lies(random.chance(0.8) ? 0.0 : 0.1),
        blind(random.chance(0.7) ? 0.0 : 0.3),
        duplicates(random.chance(0.85) ? 0.0 : 0.4),
        rewrites(random.chance(0.9) ? 0.0 : 0.2),
        nils(random.chance(0.9) ? 0.0 : 0.2),
        deletes(random.chance(0.95) ? 0.0 : 0.2),
        not_committed(random.chance(0.6) ? 0.0 : 0.3),
        timed(random.chance(0.6)) {}

  int keys, sessions;
  double stale;              // A transaction reads an old state.
  double torn;               // A read uses another state than its transaction.
  double lies;               // A read returns an arbitrary value.
  double blind;              // A write without a read.
  double duplicates;         // A write repeats a value.
  double rewrites;           // A write of the initial value.
  double nils;               // The initial version is spelled nil.
  double deletes;            // A write is a delete.
  double unknown = 0.0;      // A written or read value is not recorded.
  double conditional = 0.0;  // A write is an insert or a compare-and-set.
  double not_committed;
  bool timed;
};

class Simulation {
 public:
  explicit Simulation(Random& random, Mood mood = Mood::Ordinary) : random_(random), temper_(random, mood) {}

  Draft run(int transactions) {
    for (int i = 0; i < transactions; ++i) {
      Draft::Transaction& transaction = begin(i);
      const int operations = 1 + below(4);
      State local = states_[snapshot()];
      State wrote;
      for (int k = 0; k < operations; ++k) add_operation(transaction, local, wrote);
      finish(transaction, wrote);
    }
    return shuffled();
  }

  Draft run_lightweight(int transactions) {
    temper_.keys = 1 + below(2);
    temper_.timed = true;
    for (int i = 0; i < transactions; ++i) {
      Draft::Transaction& transaction = begin(i);
      State local = states_[snapshot()];
      State wrote;
      transaction.operations.push_back(lightweight(local, wrote));
      finish(transaction, wrote);
    }
    return shuffled();
  }

 private:
  int below(int bound) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound))); }

  std::size_t snapshot() {
    const bool stale = random_.chance(temper_.stale);
    return stale ? static_cast<std::size_t>(random_.below(states_.size())) : states_.size() - 1;
  }

  Draft::Transaction& begin(int index) {
    Draft::Transaction& transaction = draft_.transactions.emplace_back();
    transaction.session = below(temper_.sessions);
    if (random_.chance(temper_.not_committed))
      transaction.outcome = random_.chance(0.5) ? Outcome::Aborted : Outcome::Indeterminate;
    if (temper_.timed) {
      const Time begin = 2 * index - below(4);
      transaction.interval = {begin, std::max<Time>(begin, 2 * index + below(4))};
      if (random_.chance(0.05)) transaction.interval.end = kUnknownEnd;
    }
    return transaction;
  }

  // Aborted writes are usually undone, and indeterminate ones take effect half of the time.
  void finish(const Draft::Transaction& transaction, const State& wrote) {
    const double applied = transaction.outcome == Outcome::Committed ? 1.0
                           : transaction.outcome == Outcome::Aborted ? 0.1
                                                                     : 0.5;
    if (!random_.chance(applied)) return;
    State next = states_.back();
    for (const auto& [key, value] : wrote) next[key] = value;
    states_.push_back(next);
  }

  int seen(const State& local, int key) {
    if (random_.chance(temper_.lies)) return below(written_ + 2);
    const State& state = random_.chance(temper_.torn) ? states_[random_.below(states_.size())] : local;
    const auto held = state.find(key);
    if (held != state.end()) return held->second;
    return random_.chance(temper_.nils) ? kNil : kInitial;
  }

  int fresh() {
    if (random_.chance(temper_.rewrites)) return kInitial;
    if (written_ > 0 && random_.chance(temper_.duplicates)) return 1 + below(written_);
    return ++written_;
  }

  void add_operation(Draft::Transaction& transaction, State& local, State& wrote) {
    const int key = below(temper_.keys);
    const bool read_before = std::ranges::count(transaction.operations, key, &Draft::Step::key) > 0;
    const bool write = random_.chance(0.6) && (read_before || random_.chance(temper_.blind));
    if (!write) {
      transaction.operations.push_back({OperationKind::Read, key, recorded(seen(local, key))});
      return;
    }
    if (random_.chance(temper_.conditional)) {
      transaction.operations.push_back(conditional(key, local, wrote));
      return;
    }
    const bool deletes = random_.chance(temper_.deletes);
    const int value = deletes ? kNil : fresh();
    const OperationKind kind = deletes ? OperationKind::Delete : OperationKind::Write;
    transaction.operations.push_back({kind, key, deletes ? kNil : recorded(value)});
    local[key] = wrote[key] = value;
  }

  int recorded(int value) { return random_.chance(temper_.unknown) ? kUnknown : value; }

  Draft::Step conditional(int key, State& local, State& wrote) {
    const int held = seen(local, key), value = fresh();
    if (held == kNil && random_.chance(0.2)) return {OperationKind::InsertMiss, key, held};
    if (held != kNil && random_.chance(0.2))
      return {OperationKind::CompareAndSetMiss, key, held, recorded(value)};
    local[key] = wrote[key] = value;
    if (held == kNil) return {OperationKind::Insert, key, recorded(value)};
    return {OperationKind::CompareAndSet, key, recorded(value), held};
  }

  Draft::Step lightweight(const State& local, State& wrote) {
    const int key = below(temper_.keys);
    const bool absent = !local.contains(key);
    const int held = seen(local, key);
    if (random_.chance(0.25)) return {OperationKind::Read, key, held};
    if (absent ? random_.chance(0.8) : random_.chance(0.15)) {
      if (!absent && !random_.chance(temper_.lies)) return {OperationKind::InsertMiss, key, held};
      return {OperationKind::Insert, key, wrote[key] = fresh()};
    }
    if (random_.chance(0.2)) return {OperationKind::CompareAndSetMiss, key, held, written_ + 1};
    return {OperationKind::CompareAndSet, key, wrote[key] = fresh(), held};
  }

  // Usually in the order of execution; occasionally two transactions of a session are swapped.
  Draft shuffled() {
    auto& all = draft_.transactions;
    if (all.size() > 1 && random_.chance(0.2))
      std::swap(all[random_.below(all.size())], all[random_.below(all.size())]);
    return std::move(draft_);
  }

  Random& random_;
  Temper temper_;
  Draft draft_;
  std::vector<State> states_{State{}};
  int written_ = 0;
};

}  // namespace

Draft random_transactions(Random& random, int transactions) {
  const int count = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(transactions)));
  return Simulation(random).run(count);
}

Draft random_hostile_transactions(Random& random, int transactions) {
  const int count = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(transactions)));
  return Simulation(random, Mood::Hostile).run(count);
}

Draft random_lightweight_transactions(Random& random, int transactions) {
  const int count = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(transactions)));
  return Simulation(random).run_lightweight(count);
}

}  // namespace serval::oracle
