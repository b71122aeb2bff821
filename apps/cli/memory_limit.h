#pragma once
// Memory limits enforced by the operating system. Beyond the limit an allocation throws std::bad_alloc,
// which a command turns into Undecided.
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
  void lift() noexcept;  // So that the report itself has memory.

 private:
  std::uint64_t before_ = 0;
  bool active_ = false;
};

// Makes the process keep memory that it frees. Serval allocates and frees large columns repeatedly;
// returning them to the system costs a page fault per 4 KiB on the next use, a tenth of the run time at a
// million transactions.
void keep_freed_memory();

// 80 % of the memory of the machine or its control group.
std::uint64_t default_memory_limit();
std::uint64_t peak_rss_bytes();

}  // namespace serval::cli
