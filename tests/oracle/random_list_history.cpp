#include <algorithm>
#include <map>

#include "oracle/random_history.h"

namespace serval::oracle {
namespace {

using State = std::map<int, std::vector<int>>;  // A register's value is the last element.

// The properties of this history's database and workload.
struct Temper {
  explicit Temper(Random& random)
      : lists(1 + static_cast<int>(random.below(2))),
        registers(random.chance(0.25) ? 1 : 0),
        sessions(1 + static_cast<int>(random.below(4))),
        stale(random.chance(0.5) ? 0.0 : random.unit() * 0.6),
        torn(random.chance(0.7) ? 0.0 : 0.3),
        overwrites(random.chance(0.85) ? 0.0 : 0.4),
        damage(random.chance(0.8) ? 0.0 : 0.15),
        dirty(random.chance(0.85) ? 0.0 : 0.3),
        repeats(random.chance(0.95) ? 0.0 : 0.3),
        nils(random.chance(0.5) ? 0.0 : 0.5),
        not_committed(random.chance(0.6) ? 0.0 : 0.3),
        timed(random.chance(0.5)) {}

  int lists, registers, sessions;
  double stale;       // A transaction reads an old state.
  double torn;        // A read uses another state than its transaction.
  double overwrites;  // A commit overwrites what others have appended since.
  double damage;      // A read returns a damaged list.
  double dirty;       // A transaction's writes are visible one by one.
  double repeats;     // An append repeats a value.
  double nils;        // The empty list is spelled nil.
  double not_committed;
  bool timed;
};

class Simulation {
 public:
  explicit Simulation(Random& random) : random_(random), temper_(random) {}

  Draft run(int transactions) {
    for (int i = 0; i < transactions; ++i) {
      Draft::Transaction& transaction = begin(i);
      const int operations = 1 + below(4);
      State local = states_[snapshot()], wrote;
      for (int k = 0; k < operations; ++k) add_operation(transaction, local, wrote);
      finish(transaction, local, wrote);
    }
    return std::move(draft_);
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
    }
    return transaction;
  }

  void finish(const Draft::Transaction& transaction, const State& local, const State& wrote) {
    const double applied = transaction.outcome == Outcome::Committed ? 1.0
                           : transaction.outcome == Outcome::Aborted ? 0.1
                                                                     : 0.5;
    if (!random_.chance(applied)) return;
    const bool dirty = random_.chance(temper_.dirty), overwrites = random_.chance(temper_.overwrites);
    State next = states_.back();
    for (const auto& [key, values] : wrote) {
      if (overwrites) next[key] = local.at(key);
      for (const int value : values) {
        if (!overwrites) next[key].push_back(value);
        if (dirty) states_.push_back(next);
      }
    }
    states_.push_back(next);
  }

  void add_operation(Draft::Transaction& transaction, State& local, State& wrote) {
    const int key = below(temper_.lists + temper_.registers);
    const bool is_list = key < temper_.lists;
    if (random_.chance(0.5)) {
      const std::vector<int> seen = look(local, key);
      if (is_list)
        transaction.operations.push_back(list_read(key, seen));
      else
        transaction.operations.push_back({OperationKind::Read, key, seen.empty() ? kInitial : seen.back()});
      return;
    }
    const int value = written_ > 0 && random_.chance(temper_.repeats) ? 1 + below(written_) : ++written_;
    const OperationKind kind = is_list ? OperationKind::Append : OperationKind::Write;
    transaction.operations.push_back({kind, key, value});
    local[key].push_back(value);
    wrote[key].push_back(value);
  }

  std::vector<int> look(const State& local, int key) {
    const State& state = random_.chance(temper_.torn) ? states_[random_.below(states_.size())] : local;
    const auto held = state.find(key);
    return held == state.end() ? std::vector<int>{} : held->second;
  }

  Draft::Step list_read(int key, std::vector<int> list) {
    if (random_.chance(temper_.damage)) damage(list);
    Draft::Step step{OperationKind::ReadList, key};
    if (list.empty() && random_.chance(temper_.nils)) step.value = kNil;
    step.list = std::move(list);
    return step;
  }

  void damage(std::vector<int>& list) {
    const int sort = below(4);
    if (sort == 0 || list.empty()) {
      list.push_back(1 + below(written_ + 1));
    } else if (sort == 1) {
      list.pop_back();
    } else if (sort == 2) {
      list.erase(list.begin());
    } else {
      std::swap(list.front(), list.back());
    }
  }

  Random& random_;
  Temper temper_;
  Draft draft_;
  std::vector<State> states_{State{}};
  int written_ = 0;
};

}  // namespace

Draft random_list_transactions(Random& random, int transactions) {
  const int count = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(transactions)));
  return Simulation(random).run(count);
}

}  // namespace serval::oracle
