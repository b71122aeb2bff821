#pragma once
// Turns the operations of one client of a Leopard trace (docs/formats/leopard.md) into records of a
// pipeline. Values keep their columns. The condition of a statement becomes a predicate if the predicate
// language can express it.
//
//   start_with_tables(intake, files.tables, budget);       // The initial rows.
//   LeopardStream stream(intake, feed, numbers);
//   while (reader.next(operation)) stream.take(operation);
//   stream.finish_transaction();
//
// One thread per client.

#include <string>
#include <vector>

#include "serval/formats/leopard/leopard_operation.h"
#include "serval/stream/intake.h"

namespace serval {

class LeopardStream {
 public:
  // Its transactions are numbered first, first + step, ..., independent of the timing of clients.
  struct Numbers {
    std::uint64_t first = 1, step = 1;
  };
  LeopardStream(Intake& intake, ClientFeed& feed, Numbers& numbers)
      : intake_(intake), feed_(feed), numbers_(numbers) {}

  void take(const LeopardOperation& operation);
  void flush() { feed_.flush(); }
  void finish_transaction();  // Without its end the transaction is indeterminate.

 private:
  void append_transaction();
  void append(const LeopardOperation& operation);
  void append_rows(Record& record, const LeopardOperation& operation);
  void append_end(RecordKind kind, Interval time);
  Record& next();
  const TracePredicate* predicate_of(const LeopardOperation& operation);

  Intake& intake_;
  ClientFeed& feed_;
  Numbers& numbers_;  // Continue in the next slice.
  std::vector<LeopardOperation>
      open_;  // Of the current transaction: its commit may show that some were undone.
  std::uint64_t number_ = 0;
  std::vector<RecordRow> rows_;  // A member to reuse its memory.
};

// Throws InputError. Without tables the initial values are unknown.
void start_with_tables(Intake& intake, const std::vector<std::string>& tables, Budget& budget);

}  // namespace serval
