// Pairs of fresh rows of which at most one may ever exist. A client reads one row and inserts the other,
// before or after the read, if the first is absent. Other clients update rows that were just inserted.
// Two clients that miss each other's row cause a write skew that single rows show:
//
//   s1: [r(left,nil) i(right,1)]   s2: [i(left,2) r(right,nil)]
//
// PostgreSQL up to 12.3 lets both commit if a third transaction updates the new row between the insert
// and the read (commit 5940ffb2; Jepsen's report on 12.3). Hence the updates, and the insert before the
// read, which leaves no predicate lock for the other's insert to conflict with.
//
// The two rows of a pair are in different tables, so that locks on index pages do not cover both.

#include <utility>

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/retiring_keys.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

Dialogue look_then_insert(std::uint32_t side, std::uint64_t pair) {
  const Answer other = co_await ask::read(1 - side, pair);
  if (other.rows.empty()) co_await ask::insert(side, pair);
  co_return Ending::Commit;
}

Dialogue insert_then_look(std::uint32_t side, std::uint64_t pair) {
  co_await ask::insert(side, pair);
  const Answer other = co_await ask::read(1 - side, pair);
  co_return other.rows.empty() ? Ending::Commit : Ending::Abort;
}

class Pairs final : public Generator {
 public:
  Pairs(const Parameters& parameters, KeyChoice keys)
      : updates_(parameters["updates"]),
        pairs_(keys.keys(), parameters.whole("stay")),
        keys_(std::move(keys)) {}

  Schema schema() const override {
    return {{.name = "left", .initial = TableInfo::Initial::Absent},
            {.name = "right", .initial = TableInfo::Initial::Absent}};
  }

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t, KnownTags&) override {
    const std::uint64_t pair = choose_pair(random);
    const auto side = static_cast<std::uint32_t>(random.below(2));
    if (random.chance(updates_)) return script_of({ask::update(side, pair)});
    return script_of(random.chance(0.5) ? look_then_insert(side, pair) : insert_then_look(side, pair));
  }

 private:
  std::uint64_t choose_pair(Random& random) {
    const std::uint64_t place = keys_.choose(random), pair = pairs_.at(place);
    pairs_.use(place);
    return pair;
  }

  double updates_;
  RetiringKeys pairs_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo pairs_workload() {
  return {
      .name = "pairs",
      .description = "look for one of two fresh rows, insert the other; update rows just inserted",
      .parameters = {{"updates", "share of transactions that update a row if it exists", 0.5, 0, 1, kReal},
                     {"stay", "transactions on a pair before a fresh one replaces it", 8, 1, 1'000'000}},
      .make = make_generator<Pairs>,
      .data = WorkloadInfo::Data::Rows,
      .form = WorkloadInfo::Form::Scripts,
      .keys = 2};
}

}  // namespace serval
