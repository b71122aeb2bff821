#include "violation_action.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"
#include "usage.h"

namespace serval::cli {
namespace {

// In the child: only what is safe between fork and exec.
[[noreturn]] void run_shell(const char* command, int input, char* const* environment) {
  ::dup2(input, STDIN_FILENO);
  const char* const words[] = {"sh", "-c", command, nullptr};
  ::execve("/bin/sh", const_cast<char* const*>(words), environment);
  ::_exit(127);
}

std::vector<char*> environment_with(std::string& variable) {
  std::vector<char*> out;
  for (char** each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, "SERVAL_VIOLATION=", 17) != 0) out.push_back(*each);
  out.push_back(variable.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

ViolationActions::ViolationActions(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "exit")
      exits_ = true;
    else if (word.starts_with("exec:") && word.size() > 5)
      commands_.push_back(word.substr(5));
    else
      throw UsageError(fmt::format("--on-violation does not take \"{}\"", word), "exit, or exec:COMMAND");
  }
}

ViolationActions::~ViolationActions() {
  for (const pid_t process : running_)
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void ViolationActions::act(const std::string& json) {
  std::erase_if(running_, [](pid_t process) { return ::waitpid(process, nullptr, WNOHANG) == process; });
  for (const std::string& command : commands_) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return note(fmt::format("note: {}: {}", command, std::strerror(errno)));
    std::string variable = "SERVAL_VIOLATION=" + json;
    const std::vector<char*> environment = environment_with(variable);
    const pid_t process = ::fork();
    if (process == 0) run_shell(command.c_str(), ends[0], environment.data());
    ::close(ends[0]);
    // A pipe holds 64 KiB; a violation is shorter, or is cut.
    ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
    if (process < 0 || ::write(ends[1], json.data(), json.size()) < 0)
      note(fmt::format("note: {}: {}", command, std::strerror(errno)));
    ::close(ends[1]);
    if (process > 0) running_.push_back(process);
  }
}

}  // namespace serval::cli
