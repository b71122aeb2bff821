// Operations on single rows and on ranges in a chosen proportion, over rows that are inserted and
// deleted: the mixes of Emme and Enne (sections 8.2 and 8.3). A fixed number of operations per
// transaction; ranges are read, aggregated (MIN, MAX, COUNT, SUM), updated and deleted.
//
//   predicate-mix:predicates=0.5                                               Figs. 10 and 12; 100 keys
//   predicate-mix:predicates=0,reads=0.4,increments=0.2,inserts=0.1,deletes=0  Figs. 9 and 11; 1000 keys

#include <algorithm>

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/piece_table.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

using Kind = RowRequest::Kind;

class PredicateMix final : public Generator {
 public:
  PredicateMix(const Parameters& parameters, KeyChoice keys)
      : operations_(parameters.whole("operations")),
        predicates_(parameters["predicates"]),
        reads_(parameters["reads"]),
        increments_(parameters["increments"]),
        inserts_(parameters["inserts"]),
        deletes_(parameters["deletes"]),
        aggregates_(parameters["aggregates"]),
        computed_(parameters["computed"]),
        nulls_(parameters["nulls"]),
        overlap_(parameters["overlap"]),
        places_(parameters.whole("places")),
        most_width_(parameters.whole("width")),
        keys_(std::move(keys)) {}

  Schema schema() const override { return piece_table(keys_.keys()); }

  RowPlan next_rows(Random& random, std::uint32_t) override {
    RowPlan plan{.requests = {}, .overlap = overlap_};
    for (std::size_t i = 0; i < operations_; ++i)
      plan.requests.push_back(random.chance(predicates_) ? draw_range(random) : draw_row(random));
    return plan;
  }

  // On a real database, aggregates read the rows instead, and computed updates set a place.
  std::unique_ptr<Script> next_script(Random& random, std::uint32_t session, KnownTags&) override {
    std::vector<Request> requests;
    for (const RowRequest& request : next_rows(random, session).requests)
      requests.push_back(ask_for(request));
    return script_of(std::move(requests));
  }

 private:
  static Request ask_for(const RowRequest& request) {
    const ask::Columns row{request.place.value_or(0)};
    const ask::Range range{request.range.low, request.range.high,
                           request.range.column == RowRange::Column::Key ? Request::kKey : kPlace};
    switch (request.kind) {
      case Kind::Read:
        return ask::read(kPieces, request.key);
      case Kind::Write:
        return ask::write(kPieces, request.key, row);
      case Kind::Increment:
        return ask::update(kPieces, request.key, row);
      case Kind::Insert:
        return ask::insert(kPieces, request.key, row);
      case Kind::Delete:
        return ask::remove(kPieces, request.key);
      case Kind::Scan:
      case Kind::Aggregate:
        return ask::scan(kPieces, range);
      case Kind::UpdateRange:
        return ask::update_range(kPieces, range, row);
      case Kind::DeleteRange:
        break;
    }
    return ask::delete_range(kPieces, range);
  }

  RowRequest draw_row(Random& random) const {
    RowRequest request{.key = keys_.choose(random), .place = place(random), .places = places()};
    const double draw = random.unit();
    if (draw < reads_) return request;
    if (draw < reads_ + increments_)
      request.kind = Kind::Increment;
    else if (draw < reads_ + increments_ + inserts_)
      request.kind = Kind::Insert;
    else if (draw < reads_ + increments_ + inserts_ + deletes_)
      request.kind = Kind::Delete;
    else
      request.kind = Kind::Write;
    return request;
  }

  // Half read, half write; deletes are as rare as those of single rows.
  RowRequest draw_range(Random& random) const {
    RowRequest request{.place = place(random), .range = range(random), .places = places()};
    if (random.chance(0.5)) {
      request.kind = random.chance(aggregates_) ? Kind::Aggregate : Kind::Scan;
      request.function = static_cast<RowRequest::Function>(random.below(5));
      return request;
    }
    request.kind = random.chance(2 * deletes_) ? Kind::DeleteRange : Kind::UpdateRange;
    if (random.chance(computed_)) request.step = 1 + static_cast<std::int64_t>(random.below(most_width_));
    return request;
  }

  std::int64_t places() const { return static_cast<std::int64_t>(places_); }

  std::optional<std::int64_t> place(Random& random) const {
    if (random.chance(nulls_)) return std::nullopt;
    return static_cast<std::int64_t>(random.below(places_));
  }

  // A quarter over keys, the rest over places; not beyond the last.
  RowRange range(Random& random) const {
    const bool over_keys = random.chance(0.25);
    const std::uint64_t end = over_keys ? keys_.keys() : places_;
    const std::uint64_t low = over_keys ? keys_.choose(random) : random.below(places_);
    const std::uint64_t span = random.below(over_keys ? (most_width_ + 1) / 2 : most_width_);
    return {over_keys ? RowRange::Column::Key : RowRange::Column::Place,
            random.chance(0.5) ? RowRange::Spelling::Between : RowRange::Spelling::Comparisons,
            static_cast<std::int64_t>(low), static_cast<std::int64_t>(std::min(low + span, end - 1))};
  }

  std::size_t operations_;
  double predicates_, reads_, increments_, inserts_, deletes_, aggregates_, computed_, nulls_, overlap_;
  std::uint64_t places_, most_width_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo predicate_mix_workload() {
  return {
      .name = "predicate-mix",
      .description = "single rows and ranges mixed in a chosen proportion, aggregates included",
      .parameters = {{"operations", "operations per transaction", 5, 1, 1000},
                     {"predicates", "share of operations over a range", 0.5, 0, 1, kReal},
                     {"reads", "share of reads among operations on single rows", 0.42, 0, 1, kReal},
                     {"increments", "share of reads that are written back", 0, 0, 1, kReal},
                     {"inserts", "share of inserts", 0.1, 0, 1, kReal},
                     {"deletes", "share of deletes, also of ranges; the rest are writes", 0.03, 0, 1, kReal},
                     {"aggregates", "share of aggregates among range reads", 0.3, 0, 1, kReal},
                     {"computed", "share of range updates computed from the row", 0.25, 0, 1, kReal},
                     {"nulls", "share of the places that are NULL", 0.02, 0, 1, kReal},
                     {"overlap", "concurrent transactions, simulated; 0: one per session", 2, 0, 1e6, kReal},
                     {"places", "number of values of the column used in ranges", 200, 1, 1'000'000},
                     {"width", "largest number of values in a range", 10, 1, 1'000'000}},
      .make = make_generator<PredicateMix>,
      .data = WorkloadInfo::Data::Rows,
      .form = WorkloadInfo::Form::Scripts,
      .needs_ranges = true,
      .plans_rows = true,
      .keys = 100};
}

}  // namespace serval
