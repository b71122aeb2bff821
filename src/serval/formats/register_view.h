#pragma once
// A history as plain reads and writes of whole numbers, which is all that the register formats of other tools
// can say (PolySI text, AWDIT text, dbcop, Cobra). Everything that does not fit is turned into what is
// nearest, or left out, and counted:
//
//   compare-and-set, insert if absent   -> a read and a write          predicates, deletes        -> left out
//   text and other values               -> numbers not used otherwise  unknown reads              -> left out
//   indeterminate, a write was read     -> committed                   indeterminate, otherwise   -> left out
//
// Lists are refused: without its appends and list reads a history of lists says nothing.
//
// The initial version of a key stays apart from every written one, whatever number it is spelled as:
//
//   s1: [w(x,0)]  s2: [r(x,_)]     in PolySI text 0 means "initial", so the written 0 becomes another number
//
// O(operations) to make. Looks at the history, which must outlive it.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/history/history.h"

namespace serval {

struct RegisterRules {
  enum class Initial {
    Zero,      // A read of 0 may be one of the initial version.
    Mark,      // The same, and there is also a mark that means nothing else.
    ZeroOnly,  // A 0 is nothing but the initial version. No read may be of it or of a write, here and below.
    Written    // There is no initial version; 0 is a value like any other.
  };
  enum class Integers { Any, Natural, Signed64, Unsigned64 };
  enum class Aborted { LeftOut, WritesOnly, Whole };
  Initial initial = Initial::Zero;
  Integers integers = Integers::Any;
  enum class Versions { LeftOut, OfWrites };  // The writer counts itself what it loses of those.
  Aborted aborted = Aborted::Whole;
  Versions versions = Versions::LeftOut;
  std::string_view kept_facts = {};  // The format holds the facts whose names begin so, if not empty.
};

// What was changed or left out, by kind, in alphabetical order: "deletes left out: 3".
class Losses {
 public:
  void add(std::string_view what, std::size_t count = 1) { counts_[what] += count; }
  void report(const std::function<void(const std::string&)>& lossy) const;

 private:
  std::map<std::string_view, std::size_t> counts_;  // Keys are literals.
};

struct RegisterStep {
  OperationKind kind;  // Read or Write.
  KeyId key;
  Value value;  // A whole number; nil in reads of the initial version.
  OperationId operation;
};

class RegisterView {
 public:
  // Counts everything lost into `losses`. Throws OutputError for a history with list operations, and for
  // one with transactions of which none is left.
  RegisterView(const History& history, RegisterRules rules, Losses& losses);

  // Whether the transaction is in the file, and whether as an aborted one.
  bool contains(TransactionId t) const { return fates_[t.index] != Fate::LeftOut; }
  bool is_aborted(TransactionId t) const { return fates_[t.index] == Fate::Aborted; }
  // Its reads and writes, in order, into `steps`; at least one where contains(t).
  void steps(TransactionId t, std::vector<RegisterStep>& steps) const;

  // Whole numbers for keys, by key; a key that is one keeps it.
  std::vector<Value> number_keys(Losses& losses) const;
  // Whether a value is a whole number that the format can spell.
  bool fits(Value value) const;
  // A number that no value in the file is spelled as: 0 if it is free, else the smallest above.
  Value unused_number();

 private:
  enum class Fate : std::uint8_t { LeftOut, Committed, Aborted };
  struct Zeros;

  void refuse_lists() const;
  void refuse_nothing() const;
  bool may_be_initial(Value value) const;
  bool is_initial(KeyId key, Value value) const;
  bool says_both(Value value) const;
  void find_written_initials();
  void choose_transactions(Losses& losses);
  void keep_observed(Losses& losses);
  void drop_empty(Losses& losses);
  void rename_values(Losses& losses);
  void collect_used();
  void count_extras(Losses& losses) const;
  // As steps(), with the history's own values, counting what does not fit.
  void raw_steps(TransactionId t, std::vector<RegisterStep>& steps, Losses& losses) const;
  void expand(OperationId op, std::vector<RegisterStep>& steps, Losses& losses) const;

  const History& history_;
  RegisterRules rules_;
  std::vector<Fate> fates_;
  // By key: the history may write its initial value to it, or nil.
  std::vector<bool> initial_is_written_, nil_is_written_;
  absl::flat_hash_map<Value, Value> renamed_;
  absl::flat_hash_set<Value> used_;  // Once collected.
  bool used_collected_ = false;
};

// For formats that know sessions and transactions by their place in the file: counts the labels that are not
// just that place.
void count_dropped_labels(const History& history, const RegisterView& view, Losses& losses);
// The number of a Value for which RegisterView::fits holds with Signed64; with Unsigned64 its bits.
std::int64_t whole_number(const ValuePool& pool, Value number);
// The decimal digits of a whole number.
void append_number(std::string& text, const ValuePool& pool, Value number);

}  // namespace serval
