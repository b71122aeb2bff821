#pragma once
// Formats requests and parses responses of exec programs, which bring their own database
// (docs/drivers/exec.md).
//
//   format_request({.kind = Request::Kind::Write, .key = 7, .tag = 3}, schema)
//       == R"({"do":"write","table":"serval_registers","key":7,"tag":3})"

#include <string>
#include <string_view>

#include "serval/database/client.h"
#include "serval/database/json/json_value.h"
#include "serval/workload/schema.h"

namespace serval {

std::string format_tables(const Schema& schema);  // A JSON array.
std::string format_request(const Request& request, const Schema& schema);

// The line as an object. Throws DatabaseError, which shows the line, if it is not an object.
JsonValue read_exec_answer(const std::string& line);
// Throws the TransactionFailure of a response with "error"; DatabaseError for "unsupported".
// `unless_said` is the outcome if the program gives none.
void throw_if_error(const JsonValue& answer, Outcome unless_said);
// Throws DatabaseError for members of the wrong type, as do the next two.
Answer answer_of(const JsonValue& answer);
Outcome outcome_of(const JsonValue& answer);
TransactionHints hints_of(const JsonValue& answer);

}  // namespace serval
