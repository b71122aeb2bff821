#pragma once
// What --on-violation asks for: exit, or exec:CMD. The command runs in a shell with the violation, one
// line of JSON, on its standard input and in $SERVAL_VIOLATION; nobody waits for it before the end.

#include <string>
#include <vector>

#include <sys/types.h>

namespace serval::cli {

class ViolationActions {
 public:
  explicit ViolationActions(const std::vector<std::string>& words);  // Throws UsageError.
  ~ViolationActions();
  ViolationActions(const ViolationActions&) = delete;
  ViolationActions& operator=(const ViolationActions&) = delete;

  bool exits() const noexcept { return exits_; }
  void act(const std::string& json);

 private:
  bool exits_ = false;
  std::vector<std::string> commands_;
  std::vector<pid_t> running_;
};

}  // namespace serval::cli
