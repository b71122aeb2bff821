#pragma once
// The writers that stand on the wrong side of a version set in an order of the transactions: those that it
// shows and that stand behind the one who looked, and those that it does not show and that stand before.
// Only what they wrote can contradict the order.
//
//   const MisplacedWriters misplaced(visibility, place_of, budget);          // place_of(u): where `u` stands
//   misplaced.for_each(set, place_of(t), most, [&](TransactionId u) {...})
//
// A database shows its commits in much the order in which they follow each other, so these are the few that
// were under way at the same time. O(writers) once for an order, then O(log writers) and as many steps as
// there are writers around.

#include <array>
#include <cstdint>
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
    for (const VersionVisibility::Line line :
         {VersionVisibility::Line::Timestamps, VersionVisibility::Line::Numbers}) {
      Places& places = lines_[static_cast<std::size_t>(line)];
      for (const TransactionId writer : visibility.writers(line)) {
        budget.poll("predicate dependencies");
        places.of.push_back(place_of(writer));
      }
      add_extremes(places);
    }
  }

  // Some more may be visited. False: more than `most` steps were to be taken, or the set is a list; then
  // what was visited is not all.
  template <class Visit>
  bool for_each(const VersionSet& set, Vertex place, std::size_t most, Visit&& visit) const {
    if (std::holds_alternative<std::vector<SeenVersion>>(set.seen)) return false;
    const VersionVisibility::Line line = VersionVisibility::line_of(set);
    const Places& places = lines_[static_cast<std::size_t>(line)];
    const auto& writers = visibility_.writers(line);
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
  // Of the writers of a line: where each stands, and the last and first place of those before and from it on.
  struct Places {
    std::vector<Vertex> of, last_before, first_from;
  };
  static void add_extremes(Places& places);

  const VersionVisibility& visibility_;
  std::array<Places, 2> lines_;
};

}  // namespace serval
