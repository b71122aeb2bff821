#pragma once
// A broken precondition or invariant is a bug in Serval, never a property of the input.
//
//   expects(row < rows(), "row within the table");
//
// Enabled in every build. Only main and language bindings catch BrokenContract; they exit with code 70.

#include <stdexcept>
#include <string>

namespace serval {

class BrokenContract : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void broken_contract(const char* claim, const char* file, int line) {
  throw BrokenContract(std::string(file) + ":" + std::to_string(line) + ": broken contract: " + claim);
}

inline void expects(bool condition, const char* claim = "precondition", const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (!condition) [[unlikely]]
    broken_contract(claim, file, line);
}

}  // namespace serval
