#pragma once
// Names of files and folders that are being written, for those who end the process without unwinding.
//
//   remember_partial(name.c_str());   // the text must stay where it is until it is forgotten
//   ...
//   forget_partial(name.c_str());     // renamed or removed
//
// All of them are safe in any thread and in signal handlers. Up to 16 names are remembered at once; further
// ones are not.

namespace serval {

void remember_partial(const char* name) noexcept;
void forget_partial(const char* name) noexcept;

// Removes every remembered file, and every remembered folder with the files in it. For a signal handler that
// ends the process.
void remove_partial_output() noexcept;

}  // namespace serval
