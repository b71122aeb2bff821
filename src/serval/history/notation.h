#pragma once
// The short notation for histories that tests, documentation and reports share.
//
//   s1: [w(x,1) r(y,0)]  s2: [w(y,1) r(x,0)]!
//
//   history     := { session ":" { transaction } }        a session may appear again and continues
//   transaction := "[" { operation } "]" [outcome] [time]
//   outcome     := "!" aborted | "?" indeterminate        nothing: committed
//   time        := "@" [begin] ".." [end]                 whole nanoseconds; a missing side is unknown
//   operation   := "r(k,v)"  read           "w(k,v)"  write          "d(k)"  delete
//                  "a(k,v)"  append         "l(k,v)"  read list
//                  "i(k,v)"  insert if absent           "i(k,v)!"      refused, found v
//                  "cas(k,e,v)" compare e, set v        "cas(k,e,v)!"  refused, expected e, found v
//   value       := 7 | -7 | 1.5 | word | "quoted text" | true | false |
//                  _ (nil) | ? (unknown) | [v v ...] | {row}
//
// 0 is the initial version of a key unless the history writes it, as in PolySI text. "#" starts a
// comment that extends to the end of the line; commas between operations are white space. Predicate
// operations have no short notation; print_history shows them as p{...}, and parse_history rejects them.

#include <string>
#include <string_view>

#include "serval/history/history.h"

namespace serval {

// Throws InputError with line and column. `name` is the name of the text in errors.
History parse_history(std::string_view text, const std::string& name = "notation");

std::string print_history(const History& history);                       // One line per session.
std::string print_transaction(const History& history, TransactionId t);  // "[w(x,1) r(y,0)]!"
std::string print_operation(const History& history, OperationId op);     // "w(x,1)"

}  // namespace serval
