// How does finding the changes of a predicate's matches scale with the number of versions? Compares an
// index on the column with evaluating every version, in processor time.
//
//   match_versions [MOST_VERSIONS]        default: 1,000,000
//
// First many keys, and ranges that match about a hundred versions, however many there are. Then a
// hundred keys, and ranges that match a twentieth of all versions.
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "processor_time.h"
#include "serval/base/random.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/match_index.h"
#include "serval/predicate/parse_predicate.h"

namespace serval {
namespace {

struct Shape {
  std::uint64_t versions;
  std::uint64_t per_key;  // Divides the number of versions.
  std::uint64_t places;   // Number of values of the column.
  std::uint64_t width;    // Width of a range.
};

Condition range(std::uint64_t low, std::uint64_t width) {
  ValuePool pool;
  return Condition(parse_predicate(fmt::format("place BETWEEN {} AND {}", low, low + width - 1), pool), pool);
}

// As in the paper: every version of every key, once per predicate.
std::uint64_t count_naively(const Condition& condition, const std::vector<std::int64_t>& places,
                            std::uint64_t per_key) {
  std::uint64_t changes = 0;
  std::vector<Scalar> row(1);
  bool matched = false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i % per_key == 0) matched = false;
    row[0] = Scalar(places[i]);
    const bool matches = evaluate(condition, row) == Truth::True;
    changes += matches != matched ? 1 : 0;
    matched = matches;
  }
  return changes;
}

std::uint64_t count_changes(const MatchIndex& index, const Condition& condition, Budget& budget) {
  const MatchChanges changes = index.changes(condition, budget);
  std::uint64_t out = 0;
  for (const MatchChanges::Key& key : changes.keys()) out += changes.positions(key).size();
  return out;
}

VersionRows table_of(const std::vector<std::int64_t>& places, std::uint64_t per_key) {
  VersionRows table({"place"});
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    if (i % per_key == 0) table.begin_key(KeyId{static_cast<std::uint32_t>(i / per_key)});
    table.add_row(std::vector{Scalar(places[i])});
  }
  return table;
}

void measure(const Shape& shape) {
  constexpr std::size_t kQueries = 200, kNaiveQueries = 10;
  Random random(shape.versions);
  std::vector<std::int64_t> places(shape.versions);
  for (std::int64_t& place : places) place = static_cast<std::int64_t>(random.below(shape.places));
  VersionRows table = table_of(places, shape.per_key);
  std::optional<MatchIndex> index;
  const double building = seconds_of([&] { index.emplace(std::move(table)); });
  std::vector<Condition> asked;
  for (std::size_t i = 0; i < kQueries; ++i)
    asked.push_back(range(random.below(shape.places - shape.width), shape.width));

  Budget budget = Budget::unlimited();
  std::uint64_t found = 0, expected = 0, again = 0;
  const double indexed = seconds_of([&] {
    for (const Condition& condition : asked) found += count_changes(*index, condition, budget);
  });
  const double naive = seconds_of([&] {
    for (std::size_t i = 0; i < kNaiveQueries; ++i)
      expected += count_naively(asked[i], places, shape.per_key);
  });
  for (std::size_t i = 0; i < kNaiveQueries; ++i) again += count_changes(*index, asked[i], budget);
  if (again != expected) {
    fmt::print(stderr, "the index found {} changes, looking at every version {}\n", again, expected);
    std::exit(1);
  }
  fmt::print("{:>9} {:>9} {:>12.1f} {:>16.1f} {:>18.1f} {:>10.1f}\n", shape.versions,
             shape.versions / shape.per_key, building * 1e3, indexed / kQueries * 1e6,
             naive / kNaiveQueries * 1e6, static_cast<double>(found) / kQueries);
}

}  // namespace
}  // namespace serval

int main(int count, char** arguments) {
  const std::uint64_t most = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1'000'000;
  fmt::print("{:>9} {:>9} {:>12} {:>16} {:>18} {:>10}\n", "versions", "keys", "build (ms)", "predicate (us)",
             "all versions (us)", "changes");
  for (std::uint64_t versions = 1000; versions <= most; versions *= 10)
    serval::measure({.versions = versions, .per_key = 100, .places = versions, .width = 100});
  for (std::uint64_t versions = 1000; versions <= most; versions *= 10)
    serval::measure({.versions = versions, .per_key = versions / 100, .places = 200, .width = 10});
}
