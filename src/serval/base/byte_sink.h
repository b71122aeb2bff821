#pragma once
// Writes bytes to a file or standard output, compressed if the path ends in .gz or .zst. A regular file
// is written under a temporary name next to its target and renamed by finish(), so a failed write leaves
// the old file or none, never a partial one. Until then remove_partial_output() knows the temporary
// name.
//
//   ByteSink sink = ByteSink::create("history.txt.gz");   // "-" is standard output
//   sink.write("w(1,2,3,4)\n");
//   sink.finish();                                        // without it, the temporary file is removed
//
// Throws OutputError naming the file: no such folder, no permission, full disk, closed pipe. To get the
// error for a closed pipe, a process must ignore SIGPIPE.

#include <memory>
#include <string>
#include <string_view>

namespace serval {

class ByteSink {
 public:
  static ByteSink create(const std::string& path);
  ByteSink(ByteSink&&) noexcept;
  ByteSink& operator=(ByteSink&&) noexcept;
  ~ByteSink();

  void write(std::string_view bytes);
  // Flushes the buffer and renames the file to its final name. Nothing may be written afterwards.
  void finish();

 private:
  struct State;
  explicit ByteSink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace serval
