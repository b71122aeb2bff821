#pragma once
// What a check tried, step by step, and how long it took.
//
//   trail.time("saturate", [&] { ...; return std::string("3 rounds"); });

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace serval {

struct Attempt {
  std::string step;
  double seconds = 0;
  std::string result;
};

class Trail {
 public:
  // `work` returns the outcome as text. A step that ends by an exception is recorded as "cut short".
  template <class Work>
  void time(std::string step, Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    attempts_.push_back({std::move(step), 0, "cut short"});
    const std::size_t own = attempts_.size() - 1;
    const auto stop = [&] {
      attempts_[own].seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    try {
      std::string result = work();
      stop();
      attempts_[own].result = std::move(result);
    } catch (...) {
      stop();
      throw;
    }
  }

  const std::vector<Attempt>& attempts() const noexcept { return attempts_; }

 private:
  std::vector<Attempt> attempts_;
};

}  // namespace serval
