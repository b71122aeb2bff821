#pragma once
// "You cannot ask for that": an unknown verb, flag, level, format or number. Ends with exit code 64.

#include <stdexcept>
#include <string>
#include <utility>

namespace serval::cli {

class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& problem, std::string hint = {})
      : std::runtime_error(problem), hint_(std::move(hint)) {}
  const std::string& hint() const noexcept { return hint_; }  // One next step, may be empty.

 private:
  std::string hint_;
};

}  // namespace serval::cli
