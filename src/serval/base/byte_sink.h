#pragma once
// Bytes to a file or standard output, compressed on the way for paths that end in .gz or .zst. A regular file
// is written under a temporary name beside its target and renamed by finish(), so that a failed write leaves
// the old file, or none, and never half of a new one. remove_partial_output() knows its name until then.
//
//   ByteSink sink = ByteSink::create("history.txt.gz");   // "-" is standard output
//   sink.write("w(1,2,3,4)\n");
//   sink.finish();                                        // without it the temporary file is removed
//
// Throws OutputError naming the file: no such folder, no permission, full disk, closed pipe. A process that
// wants the last one must ignore SIGPIPE, which would end it first.

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
  // Writes what is buffered and puts the file in its place. Nothing may be written afterwards.
  void finish();

 private:
  struct State;
  explicit ByteSink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace serval
