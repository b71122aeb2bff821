// Range reads, updates and deletes, mixed with inserts, deletes and updates of single rows. The table is
// sparse, so that many ranges are empty and phantoms are likely.

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/piece_table.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

class Predicates final : public Generator {
 public:
  Predicates(const Parameters& parameters, KeyChoice keys)
      : most_operations_(parameters.whole("operations")),
        scans_(parameters["scans"]),
        aggregates_(parameters["aggregates"]),
        places_(parameters.whole("places")),
        most_width_(parameters.whole("width")),
        keys_(std::move(keys)) {}

  Schema schema() const override { return piece_table(keys_.keys()); }

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t, KnownTags&) override {
    std::vector<Request> requests;
    const std::uint64_t count = 1 + random.below(most_operations_);
    for (std::uint64_t i = 0; i < count; ++i)
      requests.push_back(random.chance(scans_) ? draw_read(random) : draw_write(random));
    return script_of(std::move(requests));
  }

 private:
  Request draw_read(Random& random) const {
    Request request = ask::scan(kPieces, range(random));
    if (aggregates_ == 0 || !random.chance(aggregates_)) return request;
    request.function = static_cast<Request::Function>(1 + random.below(4));
    request.argument = kPlace;
    return request;
  }

  // Keeps the number of rows stable: a range delete removes several rows, and an insert fails if the row
  // exists.
  Request draw_write(Random& random) const {
    switch (random.below(10)) {
      case 0:
        return ask::remove(kPieces, keys_.choose(random));
      case 1:
        return ask::delete_range(kPieces, range(random));
      case 2:
        return ask::update_range(kPieces, range(random));
      case 3:  // Rows leave one range and enter another.
        return ask::update_range(kPieces, range(random), {place(random)});
      case 4:
      case 5:
        return ask::update(kPieces, keys_.choose(random), {place(random)});
      default:
        return ask::insert(kPieces, keys_.choose(random), {place(random)});
    }
  }

  std::int64_t place(Random& random) const { return static_cast<std::int64_t>(random.below(places_)); }

  // Half over places, half over keys; not beyond the last.
  ask::Range range(Random& random) const {
    const bool over_keys = random.chance(0.5);
    const std::uint64_t end = over_keys ? keys_.keys() : places_;
    const std::uint64_t low = over_keys ? keys_.choose(random) : random.below(places_);
    const std::uint64_t high = std::min(low + random.below(most_width_), end - 1);
    return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high),
            over_keys ? Request::kKey : kPlace};
  }

  std::size_t most_operations_;
  double scans_, aggregates_;
  std::uint64_t places_, most_width_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo predicates_workload() {
  return {.name = "predicates",
          .description = "range reads, updates and deletes over a sparse table; many ranges are empty",
          .parameters = {{"operations", "largest number of operations per transaction", 4, 1, 1000},
                         {"scans", "share of the operations that read a range", 0.5, 0, 1, kReal},
                         {"aggregates", "share of these that compute a count, minimum, maximum or sum", 0, 0,
                          1, kReal},
                         {"places", "number of values of the column used in ranges", 200, 1, 1'000'000},
                         {"width", "largest number of values in a range", 10, 1, 1'000'000}},
          .make = make_generator<Predicates>,
          .data = WorkloadInfo::Data::Rows,
          .form = WorkloadInfo::Form::Scripts,
          .needs_ranges = true,
          .keys = 100};
}

}  // namespace serval
