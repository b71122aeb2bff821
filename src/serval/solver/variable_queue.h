#pragma once
// Variables ordered by recent conflict activity (VSIDS, Moskewicz et al. 2001, with exponential weights,
// Eén & Sörensson 2003): a binary heap with the busiest variable on top; ties go to the smallest number.

#include <cstdint>
#include <utility>
#include <vector>

namespace serval {

class VariableQueue {
 public:
  void add_variable() {
    weight_.push_back(0);
    place_.push_back(kAbsent);
  }
  bool empty() const noexcept { return heap_.empty(); }
  bool contains(std::uint32_t variable) const noexcept { return place_[variable] != kAbsent; }
  std::uint32_t top() const noexcept { return heap_.front(); }
  double weight(std::uint32_t variable) const noexcept { return weight_[variable]; }

  void push(std::uint32_t variable) {
    if (contains(variable)) return;
    place_[variable] = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(variable);
    rise(place_[variable]);
  }
  std::uint32_t pop() {
    const std::uint32_t result = heap_.front();
    place_[result] = kAbsent;
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      put(0, last);
      sink(0);
    }
    return result;
  }

  void bump(std::uint32_t variable) {
    if ((weight_[variable] += increment_) > kLargest) rescale();
    if (contains(variable)) rise(place_[variable]);
  }
  // Later bumps weigh more.
  void decay() noexcept { increment_ /= kDecay; }

 private:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFFu;
  static constexpr double kLargest = 1e100, kDecay = 0.95;

  bool above(std::uint32_t a, std::uint32_t b) const noexcept {
    return weight_[a] > weight_[b] || (weight_[a] == weight_[b] && a < b);
  }
  void put(std::uint32_t place, std::uint32_t variable) {
    heap_[place] = variable;
    place_[variable] = place;
  }
  void rise(std::uint32_t place) {
    const std::uint32_t variable = heap_[place];
    while (place > 0 && above(variable, heap_[(place - 1) / 2])) {
      put(place, heap_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(place, variable);
  }
  void sink(std::uint32_t place) {
    const std::uint32_t variable = heap_[place];
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (std::uint32_t child = 2 * place + 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && above(heap_[child + 1], heap_[child])) ++child;
      if (!above(heap_[child], variable)) break;
      put(place, heap_[child]);
      place = child;
    }
    put(place, variable);
  }
  void rescale() {
    for (double& weight : weight_) weight /= kLargest;
    increment_ /= kLargest;
  }

  std::vector<double> weight_;        // By variable.
  std::vector<std::uint32_t> place_;  // By variable: its index in the heap.
  std::vector<std::uint32_t> heap_;
  double increment_ = 1;
};

}  // namespace serval
