#pragma once
// Memory limits by the operating system: past them an allocation throws std::bad_alloc, which a command turns
// into Undecided.
//
//   MemoryLimit limit(4ull << 30);   // lifted again when it goes out of scope
//
// Has no effect under sanitizers, whose shadow memory counts as data.

#include <cstdint>

namespace serval::cli {

class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t bytes);
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() { lift(); }
  void lift() noexcept;  // So that the report itself finds memory.

 private:
  std::uint64_t before_ = 0;
  bool active_ = false;
};

// Serval frees and takes large columns again and again. Giving them back to the system in between costs a
// page fault for every 4 KiB the next time, a tenth of the whole run at a million transactions; so the
// process keeps what it freed.
void keep_freed_memory();

// 80 % of what the machine or its control group has.
std::uint64_t default_memory_limit();
std::uint64_t peak_rss_bytes();

}  // namespace serval::cli
