// Phantoms: rows that appear between two reads of a range, or between a read and a decision based on it.
// Groups come in pairs, and at most one group of a pair may have entries. A transaction reads one group
// and, if it is empty, inserts an entry into the other (predicate write skew, mostly over empty ranges).
// Others read and count a group twice (phantoms, predicate-many-preceders), or move all entries of one
// group to the other.
//
// Every insert has its own key. After a while fresh pairs replace the old ones, so that broken invariants
// remain visible.

#include <set>

#include <fmt/format.h>

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

constexpr std::uint32_t kEntries = 0;
constexpr std::uint32_t kGroup = 0;  // The only column: pair * 2 + side.

Dialogue enter_unless_other_has_entries(std::int64_t other, std::int64_t own, std::uint64_t key) {
  const Answer found = co_await ask::scan(kEntries, ask::equal_to(other, kGroup));
  if (found.rows.empty()) co_await ask::insert(kEntries, key, ask::columns(own));
  co_return Ending::Commit;
}

std::vector<Request> look_twice(std::int64_t group) {
  const ask::Range range = ask::equal_to(group, kGroup);
  Request count = ask::scan(kEntries, range);
  count.function = Request::Function::Count;
  return {ask::scan(kEntries, range), count, ask::scan(kEntries, range)};
}

class Phantoms final : public Generator {
 public:
  Phantoms(const Parameters& parameters, KeyChoice pairs)
      : twice_(parameters["twice"]),
        moves_(parameters["moves"]),
        clears_(parameters["clears"]),
        stay_(parameters.whole("stay")),
        pairs_(std::move(pairs)) {}

  Schema schema() const override {
    return {{.name = "entries",
             .initial = TableInfo::Initial::Absent,
             .columns = {{.name = "group", .indexed = true}}}};
  }

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t, KnownTags&) override {
    const std::uint64_t generation = drawn_++ / (stay_ * pairs_.keys());
    const auto pair = static_cast<std::int64_t>(generation * pairs_.keys() + pairs_.choose(random)) * 2;
    const std::int64_t own = pair + static_cast<std::int64_t>(random.below(2));
    const std::int64_t other = own ^ 1;
    const double draw = random.unit();
    if (draw < twice_) return script_of(look_twice(own));
    if (draw < twice_ + moves_)
      return script_of({ask::update_range(kEntries, ask::equal_to(own, kGroup), {other})});
    if (draw < twice_ + moves_ + clears_)
      return script_of({ask::delete_range(kEntries, {pair, pair + 1, kGroup})});
    return script_of(enter_unless_other_has_entries(other, own, next_key_++));
  }

  std::vector<std::string> broken_invariants(FinalState& state) const override {
    std::set<std::int64_t> groups;
    for (const Answer::Row& row : state.all_rows(kEntries)) groups.insert(row.columns[kGroup]);
    std::vector<std::string> broken;
    for (const std::int64_t group : groups)
      if (group % 2 == 0 && groups.contains(group + 1))
        broken.push_back(fmt::format("both groups of pair {} have entries", group / 2));
    return broken;
  }

 private:
  double twice_, moves_, clears_;
  std::uint64_t stay_, drawn_ = 0, next_key_ = 0;
  KeyChoice pairs_;
};

}  // namespace

WorkloadInfo phantoms_workload() {
  return {.name = "phantoms",
          .description = "at most one of two groups may have entries: read one, insert into the other",
          .parameters = {{"twice", "share of transactions that read a group twice", 0.3, 0, 1, kReal},
                         {"moves", "share that move all entries of a group to the other", 0.02, 0, 1, kReal},
                         {"clears", "share that clear both groups of a pair", 0.1, 0, 1, kReal},
                         {"stay", "transactions on a pair before a fresh one replaces it", 20, 1, 1'000'000}},
          .make = make_generator<Phantoms>,
          .data = WorkloadInfo::Data::Rows,
          .form = WorkloadInfo::Form::Scripts,
          .needs_ranges = true,
          .keys = 2,
          .invariant = "at most one of the two groups of a pair has entries",
          .kept_at = {"serializable"}};
}

}  // namespace serval
