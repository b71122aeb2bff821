// The program around the targets, for clang's libFuzzer:
//
//   serval_fuzz --target=read-edn -max_total_time=60 CORPUS...
//   serval_fuzz --list

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "target.h"

namespace {

const serval::fuzz::Target* chosen = nullptr;

[[noreturn]] void list_targets(int exit_code) {
  for (const serval::fuzz::Target& target : serval::fuzz::all_targets())
    std::printf("%-20s %s\n", target.name.c_str(), target.summary.c_str());
  std::exit(exit_code);
}

}  // namespace

// Flags that begin with "--" are ours; libFuzzer ignores them.
extern "C" int LLVMFuzzerInitialize(int* argument_count, char*** arguments) {
  constexpr std::string_view kTarget = "--target=";
  for (int i = 1; i < *argument_count; ++i) {
    const std::string_view word = (*arguments)[i];
    if (word == "--list") list_targets(0);
    if (word.starts_with(kTarget)) chosen = serval::fuzz::find_target(word.substr(kTarget.size()));
  }
  if (chosen == nullptr) list_targets(64);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen->run({reinterpret_cast<const char*>(data), size});
  } catch (const std::bad_alloc&) {
    throw;  // libFuzzer has its own limits.
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", chosen->name.c_str(), error.what());
    std::abort();
  }
  return 0;
}
