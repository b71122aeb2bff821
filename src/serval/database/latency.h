#pragma once
// A histogram of latencies, with buckets about a tenth of their value wide. Adding takes a few
// instructions. Histograms of threads can be summed.

#include <array>
#include <bit>
#include <cstdint>

namespace serval {

class Latency {
 public:
  void add(std::uint64_t nanoseconds) noexcept { ++counts_[bucket_of(nanoseconds)]; }
  void add(const Latency& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }
  // The quantile, at most one bucket too large; 0 if empty.
  std::uint64_t quantile(double share) const noexcept {
    std::uint64_t total = 0;
    for (const std::uint64_t count : counts_) total += count;
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(total));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if ((seen += counts_[i]) > wanted) return top_of(i);
    return 0;
  }

 private:
  static constexpr unsigned kBits = 3;  // Eight buckets per power of two.
  static std::size_t bucket_of(std::uint64_t value) noexcept {
    if (value < (1u << kBits)) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kBits;
    return ((shift + 1u) << kBits) + ((value >> shift) & ((1u << kBits) - 1));
  }
  static std::uint64_t top_of(std::size_t bucket) noexcept {
    if (bucket < (1u << kBits)) return bucket;
    const std::uint64_t shift = (bucket >> kBits) - 1;
    return (((1u << kBits) + (bucket & ((1u << kBits) - 1)) + 1) << shift) - 1;
  }

  std::array<std::uint64_t, 62 << kBits> counts_{};
};

}  // namespace serval
