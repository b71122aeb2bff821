#pragma once
// Turns exceptions into messages and exit codes.

#include <exception>
#include <string>

namespace serval::cli {

struct Failure {
  int exit_code;
  std::string drawing;  // For standard error; may have several lines, without the last newline.
};

// Describes the exception being handled. Call it inside a catch block.
Failure describe_current_exception();
Failure describe_exception(const std::exception_ptr& exception);
// The same as one JSON object, schema "serval.error/1", for standard output.
std::string json_of_current_exception(const std::string& path);

}  // namespace serval::cli
