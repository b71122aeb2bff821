#pragma once
// The clock for all recorded times: one per process, monotonic, in nanoseconds.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace serval {

// The thread sanitizer does not support fences, and g++ refuses to compile them with it.
inline void fence() noexcept {
#if !defined(__SANITIZE_THREAD__)
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// Fenced, so that neither the request before nor the one after is reordered across it.
inline std::int64_t now() noexcept {
  fence();
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch();
  fence();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(ticks).count();
}

}  // namespace serval
