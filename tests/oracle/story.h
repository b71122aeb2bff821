#pragma once
// A tiny history in the form that the definitions need: what every transaction saw and left, in program
// order, and which transactions precede which. It contains no judgement and no inference; the other
// files of the oracle apply the definitions.
//
// Terms are those of docs/levels.md. A read is external if its transaction has not written the key
// before. What a transaction leaves in a key is its last write. A list read shows the whole list; before
// any append, that is the empty list. Reads whose answer never arrived are omitted.

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
  void close();            // Transitive closure by Floyd and Warshall.
  bool has_cycle() const;  // Requires close().

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  std::vector<std::uint32_t> rows_;
};

// One operation. A compare-and-set both sees and leaves a value.
struct Action {
  int key = 0;
  bool external = false;        // The transaction has not written the key before.
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

  // Whether a read of `seen` may have seen an untouched key.
  bool may_be_initial(Value seen) const { return seen.is_nil() || seen == initial_value; }
};

// Whether a transaction participates, by transaction.
using Participants = std::vector<bool>;

// Every choice of outcomes: all committed transactions and any subset of the indeterminate ones.
std::vector<Participants> all_participants(const Story& story);
// The committed transactions, and the indeterminate ones that a counted transaction saw something of
// (docs/decisions/003). If values repeat, it may have seen one or another, so there may be several such
// sets.
std::vector<Participants> counted_participants(const Story& story);

inline constexpr int kInitially = -1;  // The writer of the initial version.

// The participants whose last write of the key an external register read may have seen; kInitially for
// the initial version. Empty if it saw something else.
std::vector<int> possible_sources(const Story& story, const Participants& participants, int reader,
                                  const Action& read);

// An external read and the transaction whose version it saw.
struct Sight {
  int reader = 0;
  int position = 0;  // In program order.
  int key = 0;
  int source = kInitially;
};

// Calls `visit` with every combination of sources, until it returns true. Returns whether it did.
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
