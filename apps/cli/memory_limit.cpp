#include "memory_limit.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace serval::cli {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// "max", a missing file and zero mean no limit.
std::uint64_t control_group_limit(const char* path) {
  std::ifstream file(path);
  std::uint64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

MemoryLimit::MemoryLimit(std::uint64_t bytes) {
  rlimit limit{};
  if (kSanitized || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  before_ = limit.rlim_cur;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  active_ = setrlimit(RLIMIT_DATA, &limit) == 0;
}

void MemoryLimit::lift() noexcept {
  rlimit limit{};
  if (!active_ || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = before_;
  active_ = setrlimit(RLIMIT_DATA, &limit) != 0;
}

void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);         // No separate mappings, which are unmapped when freed;
  mallopt(M_TRIM_THRESHOLD, -1);  // no shrinking of the heap;
  mallopt(M_TOP_PAD, 16 << 20);   // and growth in large steps.
}

std::uint64_t default_memory_limit() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  std::uint64_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  bytes = std::min(bytes, control_group_limit("/sys/fs/cgroup/memory.max"));
  bytes = std::min(bytes, control_group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return bytes / 10 * 8;
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

}  // namespace serval::cli
