#pragma once
// The writers on the wrong side of a version set in an order of the transactions: those visible to the
// set that come after the reader, and those not visible to it that come before. Only their writes can
// contradict the order.
//
//   const MisplacedWriters misplaced(visibility, place_of, budget);          // place_of(u): position of `u`
//   misplaced.for_each(set, place_of(t), most, [&](TransactionId u) {...})
//
// Commits become visible roughly in their order, so these writers are the few that were concurrent.
// O(writers) once per order, then O(log writers) plus the number of writers nearby.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "serval/base/budget.h"
#include "serval/check/certificate/version_visibility.h"
#include "serval/graph/csr_graph.h"

namespace serval {

class MisplacedWriters {
 public:
  template <class PlaceOf>
  MisplacedWriters(const VersionVisibility& visibility, const PlaceOf& place_of, Budget& budget)
      : visibility_(visibility) {
    for (const VersionVisibility::WriterSequence sequence :
         {VersionVisibility::WriterSequence::Timestamps, VersionVisibility::WriterSequence::Numbers}) {
      Places& places = sequences_[static_cast<std::size_t>(sequence)];
      for (const TransactionId writer : visibility.writers(sequence)) {
        budget.poll("predicate dependencies");
        places.of.push_back(place_of(writer));
      }
      add_extremes(places);
    }
  }

  // May visit some others too. Returns false if this would take more than `most` steps, or if the set is
  // a list; then not all were visited.
  template <class Visit>
  bool for_each(const VersionSet& set, Vertex place, std::size_t most, Visit&& visit) const {
    if (std::holds_alternative<std::vector<SeenVersion>>(set.seen)) return false;
    const VersionVisibility::WriterSequence sequence = VersionVisibility::sequence_of(set);
    const Places& places = sequences_[static_cast<std::size_t>(sequence)];
    const auto& writers = visibility_.writers(sequence);
    const std::size_t shown = visibility_.shown_writers(set);
    std::size_t steps = 0;
    for (std::size_t i = shown; i > 0 && places.last_before[i] > place; --i) {
      if (++steps > most) return false;
      if (places.of[i - 1] > place) visit(writers[i - 1]);
    }
    for (std::size_t i = shown; i < writers.size() && places.first_from[i] < place; ++i) {
      if (++steps > most) return false;
      if (places.of[i] < place) visit(writers[i]);
    }
    visibility_.for_each_running(set, visit);
    return true;
  }

 private:
  // For the writers of a sequence: the position of each, the last position before it and the first from
  // it on.
  struct Places {
    std::vector<Vertex> of, last_before, first_from;
  };
  static void add_extremes(Places& places) {
    const std::size_t count = places.of.size();
    places.last_before.assign(count + 1, 0);
    places.first_from.assign(count + 1, std::numeric_limits<Vertex>::max());
    for (std::size_t i = 0; i < count; ++i)
      places.last_before[i + 1] = std::max(places.last_before[i], places.of[i]);
    for (std::size_t i = count; i-- > 0;)
      places.first_from[i] = std::min(places.first_from[i + 1], places.of[i]);
  }

  const VersionVisibility& visibility_;
  std::array<Places, 2> sequences_;
};

}  // namespace serval
