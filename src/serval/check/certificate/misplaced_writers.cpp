#include "serval/check/certificate/misplaced_writers.h"

#include <algorithm>
#include <limits>

namespace serval {

void MisplacedWriters::add_extremes(Places& places) {
  const std::size_t count = places.of.size();
  places.last_before.assign(count + 1, 0);
  places.first_from.assign(count + 1, std::numeric_limits<Vertex>::max());
  for (std::size_t i = 0; i < count; ++i)
    places.last_before[i + 1] = std::max(places.last_before[i], places.of[i]);
  for (std::size_t i = count; i-- > 0;)
    places.first_from[i] = std::min(places.first_from[i + 1], places.of[i]);
}

}  // namespace serval
