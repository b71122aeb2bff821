#pragma once
// The operations of one client of a Leopard trace (docs/formats/leopard.md) as records of a pipeline.
// What they read and wrote keeps its columns; the condition of a statement becomes its predicate where
// the language of predicates has it.
//
//   start_with_tables(intake, files.tables, budget);       // The rows at the start.
//   LeopardStream stream(intake, feed, numbers);
//   while (reader.next(operation)) stream.take(operation);
//   stream.finish_transaction();
//
// One thread a client.

#include <string>
#include <vector>

#include "serval/formats/leopard/leopard_operation.h"
#include "serval/stream/intake.h"

namespace serval {

class LeopardStream {
 public:
  // Its transactions are numbered first, first + step, ...: the same in every run, whichever client is
  // faster.
  struct Numbers {
    std::uint64_t first = 1, step = 1;
  };
  LeopardStream(Intake& intake, ClientFeed& feed, Numbers& numbers)
      : intake_(intake), feed_(feed), numbers_(numbers) {}

  void take(const LeopardOperation& operation);
  void flush() { feed_.flush(); }
  void finish_transaction();  // Nothing more of it: without its end it is indeterminate.

 private:
  void append_transaction();
  void append(const LeopardOperation& operation);
  void append_rows(Record& record, const LeopardOperation& operation);
  void append_end(RecordKind kind, Interval time);
  Record& next();
  const TracePredicate* predicate_of(const LeopardOperation& operation);

  Intake& intake_;
  ClientFeed& feed_;
  Numbers& numbers_;  // Go on in the next slice.
  std::vector<LeopardOperation>
      open_;  // Of the transaction at hand: a commit may tell that some were undone.
  std::uint64_t number_ = 0;
  std::vector<RecordRow> rows_;  // Kept for its room.
};

// Throws InputError. Without tables nobody knows what keys held.
void start_with_tables(Intake& intake, const std::vector<std::string>& tables, Budget& budget);

}  // namespace serval
