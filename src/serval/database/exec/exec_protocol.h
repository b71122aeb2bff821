#pragma once
// Formats requests and parses responses of exec programs, which bring their own database
// (docs/drivers/exec.md).
//
//   format_request({.kind = Request::Kind::Write, .key = 7, .tag = 3}, schema)
//       == R"({"do":"write","table":"serval_registers","key":7,"tag":3})"

#include <map>
#include <string>
#include <string_view>

#include "serval/database/client.h"
#include "serval/database/json/json_value.h"
#include "serval/workload/schema.h"

namespace serval {

std::string format_tables(const Schema& schema);  // A JSON array.
std::string format_request(const Request& request, const Schema& schema);
std::string_view verb_of(Request::Kind kind);  // "compare-and-set"

// A response, with the line for error messages. Every function below throws DatabaseError, which shows
// the line, for members that docs/drivers/exec.md does not allow.
struct ExecAnswer {
  std::string line;
  JsonValue members;
};

// Throws DatabaseError if the line is not an object.
ExecAnswer read_exec_answer(std::string line);
// Throws DatabaseError if the program has written something that no request asked for.
void refuse_unasked(const std::string& bytes);
// Throws the TransactionFailure of a response with "error"; DatabaseError for "unsupported", which names
// the request by its verb. `unless_said` is the outcome if the program gives none.
void throw_if_error(const ExecAnswer& answer, std::string_view verb, Outcome unless_said);

// The response to hello, begin and the like: {"ok":true}.
void expect_ok(const ExecAnswer& answer);
// The facts in a response to hello. Those that Serval itself sets are refused.
std::map<std::string, std::string> facts_of(const ExecAnswer& answer);
// The response to a request to a table of the schema.
Answer answer_of(const ExecAnswer& answer, const Request& request, const Schema& schema);
// The response to a commit.
Outcome outcome_of(const ExecAnswer& answer);
TransactionHints hints_of(const ExecAnswer& answer);

}  // namespace serval
