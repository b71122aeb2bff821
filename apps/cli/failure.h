#pragma once
// The one place where exceptions become words and exit codes.

#include <exception>
#include <string>

namespace serval::cli {

struct Failure {
  int exit_code;
  std::string drawing;  // For standard error, several lines, without the last newline.
};

// Of the exception being handled; call it inside a catch block.
Failure describe_current_exception();
Failure describe_exception(const std::exception_ptr& exception);
// The same as one JSON object, schema "serval.error/1", for standard output.
std::string json_of_current_exception(const std::string& path);

}  // namespace serval::cli
