#pragma once
// A history under construction: small, mutable, easy to shrink. Generators make drafts, tests turn them
// into histories, and shrink() removes what a failure does not need.
//
//   Draft draft;
//   draft.transactions.push_back({.session = 0, .operations = {{OperationKind::Read, 0, 0}}});
//   print_history(draft.freeze()) == "s0: [r(x,0)]\n"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval::oracle {

inline constexpr int kNil = -1;      // Nil, as a value of a draft.
inline constexpr int kUnknown = -2;  // A value that was not recorded.
inline constexpr int kInitial = 0;

struct Draft {
  struct Step {
    OperationKind kind = OperationKind::Read;
    int key = 0;
    int value = kInitial;
    int expected = kInitial;  // CompareAndSet and CompareAndSetMiss only.
    std::vector<int> list;    // ReadList only: the elements that it showed.
  };
  struct Transaction {
    int session = 0;
    Outcome outcome = Outcome::Committed;
    Interval interval;
    std::vector<Step> operations;
  };
  // Transactions of one session are in session order.
  std::vector<Transaction> transactions;

  // Keys are x, y, z, ...; sessions s0, s1, ...; 0 is the initial value, as in the notation.
  History freeze() const;
};

// Removes transactions, then operations, then elements of lists, then outcomes and times, one at a time,
// as long as `still_fails` returns true.
Draft shrink(Draft draft, const std::function<bool(const Draft&)>& still_fails);

// A name that two drafts share exactly if they differ only in the names of keys and values and in the
// order in which sessions are listed. Requires that the transactions of a session are listed together. 0
// and nil keep their meaning.
std::string canonical_name(const Draft& draft);
// The name of this particular listing. It equals canonical_name for one listing of each class.
std::string listing_name(const Draft& draft);

}  // namespace serval::oracle
