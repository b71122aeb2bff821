#pragma once
// A tiny history spelled out for the definitions: what every transaction saw and left, in program order, and
// who comes before whom. No judgement and no inference: the oracle's other files put the definitions on top.
//
// Words, as docs/levels.md has them. A read is external when its transaction has not written the key before.
// The last write of a key is what a transaction leaves there. A list read shows the whole list, the empty
// list before any append. Reads whose answer never arrived are left out.

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "serval/history/history.h"
#include "serval/levels/level.h"

namespace serval::oracle {

using LevelSet = std::bitset<32>;
inline std::size_t index_of(Level level) { return static_cast<std::size_t>(level); }

using Values = std::vector<Value>;

// A relation on the transactions of a tiny history.
class Relation {
 public:
  explicit Relation(int size) : rows_(static_cast<std::size_t>(size), 0) {}
  bool has(int from, int to) const { return (rows_[index(from)] >> to & 1U) != 0; }
  void add(int from, int to) { rows_[index(from)] |= std::uint32_t{1} << to; }
  void add(const Relation& other);
  void close();            // Transitively: Floyd and Warshall.
  bool has_cycle() const;  // Requires that it is closed.

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  std::vector<std::uint32_t> rows_;
};

// One operation. A compare-and-set both sees and leaves.
struct Action {
  int key = 0;
  bool external = false;        // Before any own write of the key.
  bool last = false;            // The last write of its transaction to the key.
  std::optional<Value> seen;    // By a read of a register.
  std::optional<Values> shown;  // By a read of a list.
  std::optional<Value> left;    // Written, or appended.
};

struct Story {
  // Requires at most 16 transactions, no predicates, and that no key is both list and register.
  explicit Story(const History& history);

  int transactions = 0, keys = 0;
  std::vector<std::vector<Action>> actions;  // By transaction.
  std::vector<Outcome> outcomes;
  std::vector<bool> is_list;              // By key.
  std::vector<std::vector<bool>> writes;  // By transaction and key.
  Relation session_order, real_time;
  Value initial_value;

  // Whether a read of `seen` may have seen a key that nobody had touched.
  bool may_be_initial(Value seen) const { return seen.is_nil() || seen == initial_value; }
};

// Who takes part, by transaction.
using Participants = std::vector<bool>;

// Every choice of outcomes: the committed ones and some of the indeterminate ones.
std::vector<Participants> all_participants(const Story& story);
// The committed ones and the indeterminate ones that a counted transaction saw something of, and no more
// (docs/decisions/003). Where values repeat it may have seen this or that, so there may be several such sets.
std::vector<Participants> counted_participants(const Story& story);

inline constexpr int kInitially = -1;  // The writer of the initial version.

// Which participants' last write of the key an external register read may have seen; kInitially for the
// initial version. Empty: it saw something else.
std::vector<int> possible_sources(const Story& story, const Participants& participants, int reader,
                                  const Action& read);

// An external read and whose version it saw.
struct Sight {
  int reader = 0;
  int position = 0;  // In program order.
  int key = 0;
  int source = kInitially;
};

// Calls `visit` with every choice of one source each; stops when it returns true, and returns that.
template <class Visit>
bool some_assignment(std::vector<Sight>& visibility, const std::vector<std::vector<int>>& sources,
                     Visit visit, std::size_t next = 0) {
  if (next == visibility.size()) return visit();
  for (const int source : sources[next]) {
    visibility[next].source = source;
    if (some_assignment(visibility, sources, visit, next + 1)) return true;
  }
  return false;
}

}  // namespace serval::oracle
