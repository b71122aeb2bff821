#pragma once
// The virtual clock: which session takes its next step, and when. A step is called, takes effect and is
// answered, in this order, at random distances. The queue returns steps in the order of their effects.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "serval/base/random.h"
#include "serval/history/operation.h"

namespace serval::simulated {

struct Step {
  Time effect = 0;
  std::uint32_t session = 0;
  Time call = 0;
  Time answer = 0;  // call < effect < answer.
  friend auto operator<=>(const Step&, const Step&) = default;
};

class StepQueue {
 public:
  explicit StepQueue(std::uint64_t seed) : random_(seed) {}

  bool empty() const noexcept { return heap_.empty(); }
  // The next step of the session, shortly after `time`.
  void schedule(std::uint32_t session, Time time) {
    const std::uint64_t draw = random_.next();
    const Time call = time + 1 + static_cast<Time>(draw % 1024);
    const Time effect = call + 1 + static_cast<Time>(draw / 1024 % 2048);
    const Time answer = effect + 1 + static_cast<Time>(draw / 1024 / 2048 % 2048);
    heap_.push_back({effect, session, call, answer});
    std::ranges::push_heap(heap_, std::greater<>{});
  }
  Step take() {
    std::ranges::pop_heap(heap_, std::greater<>{});
    const Step step = heap_.back();
    heap_.pop_back();
    return step;
  }

 private:
  Random random_;
  std::vector<Step> heap_;
};

}  // namespace serval::simulated
