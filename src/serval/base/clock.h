#pragma once
// The clock of all recorded times: one for the whole process, never going back, in nanoseconds.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace serval {

// The thread sanitizer knows no fences, and g++ refuses to compile them for it.
inline void fence() noexcept {
#if !defined(__SANITIZE_THREAD__)
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// Fenced, so that neither the request before it nor the one after it moves across.
inline std::int64_t now() noexcept {
  fence();
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch();
  fence();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(ticks).count();
}

}  // namespace serval
