#pragma once
// Views a history as plain reads and writes of integers, which is all that the register formats of other
// tools can represent (PolySI text, AWDIT text, dbcop, Cobra). Everything else is converted to the
// nearest equivalent or left out, and counted:
//
//   compare-and-set, insert if absent   -> a read and a write          predicates, deletes        -> left out
//   text and other values               -> numbers not used otherwise  unknown reads              -> left out
//   indeterminate, a write was read     -> committed                   indeterminate, otherwise   -> left out
//
// Lists are rejected: without appends and list reads such a history would be empty.
//
// The initial version of a key stays distinct from every written one:
//
//   s1: [w(x,0)]  s2: [r(x,_)]     in PolySI text 0 means "initial", so the written 0 becomes another number
//
// O(operations) to construct. Refers to the history, which must outlive it.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/formats/format.h"
#include "serval/history/history.h"

namespace serval {

struct RegisterRules {
  enum class Initial {
    Zero,      // A read of 0 may see the initial version.
    Mark,      // The same, and there is a separate mark for the initial version.
    ZeroOnly,  // 0 always means the initial version, so no read is ambiguous.
    Written    // There is no initial version; 0 is an ordinary value.
  };
  enum class Integers { Any, Natural, Signed64, Unsigned64 };
  enum class Aborted { LeftOut, WritesOnly, Whole };
  Initial initial = Initial::Zero;
  Integers integers = Integers::Any;
  enum class Versions { LeftOut, OfWrites };  // OfWrites: the writer counts its own losses.
  Aborted aborted = Aborted::Whole;
  Versions versions = Versions::LeftOut;
  std::string_view kept_facts = {};  // The format can store facts whose names have this prefix, if not empty.
};

// What was changed or left out, by kind, in alphabetical order: "deletes left out: 3".
class Losses {
 public:
  void add(std::string_view what, std::size_t count = 1) { counts_[what] += count; }
  void report(const Notice& lossy) const;

 private:
  std::map<std::string_view, std::size_t> counts_;  // Keys are literals.
};

template <class Writer>
void write_with_losses(const History& history, const ByteOutput& out, const Notice& lossy) {
  Losses losses;
  Writer(history, losses).write(out);
  losses.report(lossy);
}

struct RegisterStep {
  OperationKind kind;  // Read or Write.
  KeyId key;
  Value value;  // A whole number; nil in reads of the initial version.
  OperationId operation;
};

class RegisterView {
 public:
  // Adds all losses to `losses`. Throws OutputError for a history with list operations, and if none of
  // its transactions is left.
  RegisterView(const History& history, RegisterRules rules, Losses& losses);

  // Whether the transaction is written, and whether as an aborted one.
  bool contains(TransactionId t) const { return fates_[t.index] != Fate::LeftOut; }
  bool is_aborted(TransactionId t) const { return fates_[t.index] == Fate::Aborted; }
  // Stores its reads and writes in `steps`; at least one if contains(t).
  void steps(TransactionId t, std::vector<RegisterStep>& steps) const;

  // An integer for each key; integer keys keep theirs.
  std::vector<Value> number_keys(Losses& losses) const;
  std::vector<std::string> spell_keys(Losses& losses) const;  // The same as decimal digits.
  // Whether a value is an integer that the format can represent.
  bool fits(Value value) const;
  // The smallest non-negative number that is not a value in the file.
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
  // Like steps(), with the history's own values; counts what does not fit.
  void raw_steps(TransactionId t, std::vector<RegisterStep>& steps, Losses& losses) const;
  void expand(OperationId op, std::vector<RegisterStep>& steps, Losses& losses) const;

  const History& history_;
  RegisterRules rules_;
  std::vector<Fate> fates_;
  // By key: whether the history may write its initial value or nil.
  std::vector<bool> initial_is_written_, nil_is_written_;
  absl::flat_hash_map<Value, Value> renamed_;
  absl::flat_hash_set<Value> used_;  // Once collected.
  bool used_collected_ = false;
};

// The text around the numbers of a format that lists sessions of transactions of reads and writes.
struct RegisterSpelling {
  std::string_view before_first_session, before_session, after_session, empty_session;
  std::string_view before_first_transaction, before_transaction;  // Of a session.
  std::string_view committed, aborted;                            // After a transaction.
  std::string_view before_write, before_read;                     // Before the key.
  std::string_view written, read;                                 // Between key and value.
  std::string_view after_step, between_steps;
  std::string_view initial;  // The value in a read of the initial version.
};
// Writes all sessions, one piece each. `keys` are spelled.
void write_sessions(const History& history, const RegisterView& view, const std::vector<std::string>& keys,
                    const RegisterSpelling& spelling, const ByteOutput& out);

// For formats that identify sessions and transactions by their position: counts the labels that differ
// from it.
void count_dropped_labels(const History& history, const RegisterView& view, Losses& losses);
// The number of a Value for which RegisterView::fits holds with Signed64; with Unsigned64 its bits.
std::int64_t whole_number(const ValuePool& pool, Value number);
// The decimal digits of a whole number.
void append_number(std::string& text, const ValuePool& pool, Value number);

}  // namespace serval
