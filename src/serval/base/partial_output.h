#pragma once
// Names of files and folders that are being written, so that they can be removed when the process ends
// without unwinding.
//
//   remember_partial(name.c_str());   // the text must stay valid until forget_partial
//   ...
//   forget_partial(name.c_str());     // renamed or removed
//
// All functions are safe in any thread and in signal handlers. At most 16 names are remembered at once;
// further names are ignored.

namespace serval {

void remember_partial(const char* name) noexcept;
void forget_partial(const char* name) noexcept;

// Removes every remembered file, and every remembered folder with the files in it. For signal handlers
// that end the process.
void remove_partial_output() noexcept;

}  // namespace serval
