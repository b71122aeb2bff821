#pragma once
// Real-time order for a screen, as edges of a growing order: a vertex for each end, chained by time, and
// an edge from the last end before a transaction's begin to the transaction (the online counterpart of
// inference/real_time.h).
//
//   TimeChain times;
//   times.add_begin(begin_time, begin_vertex, emit);       // emit(from, to) for each new edge
//   times.add_end(end_time, commit_vertex, end_vertex, emit);
//
// Times may arrive in any order. Those near the latest cost O(log transactions); others also cost
// O(distance from the latest), and a late end adds an edge to each begin between it and the next end.
// Not thread-safe.

#include <algorithm>
#include <vector>

#include "serval/graph/csr_graph.h"
#include "serval/history/operation.h"

namespace serval {

class TimeChain {
 public:
  template <class Emit>
  void add_begin(Time begin, Vertex vertex, Emit&& emit) {
    const auto after = std::ranges::lower_bound(ends_, begin, {}, &Point::time);
    if (after != ends_.begin()) emit((after - 1)->vertex, vertex);
    begins_.insert(std::ranges::upper_bound(begins_, begin, {}, &Point::time), {begin, vertex});
  }

  template <class Emit>
  void add_end(Time end, Vertex commit, Vertex vertex, Emit&& emit) {
    emit(commit, vertex);
    const auto next = std::ranges::upper_bound(ends_, end, {}, &Point::time);
    const Time until = next == ends_.end() ? kUnknownEnd : next->time;
    if (next != ends_.begin()) emit((next - 1)->vertex, vertex);
    if (next != ends_.end()) emit(vertex, next->vertex);
    ends_.insert(next, {end, vertex});
    for (auto late = std::ranges::upper_bound(begins_, end, {}, &Point::time);
         late != begins_.end() && late->time <= until; ++late)
      emit(vertex, late->vertex);
  }

  std::size_t bytes() const noexcept { return (begins_.capacity() + ends_.capacity()) * sizeof(Point); }

 private:
  struct Point {
    Time time;
    Vertex vertex;
  };
  std::vector<Point> begins_, ends_;  // By time.
};

}  // namespace serval
