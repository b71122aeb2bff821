#include "serval/predicate/region.h"

#include <map>

#include <gtest/gtest.h>

#include "predicate/random_predicate.h"
#include "sample.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/predicate/print_predicate.h"

namespace serval {
namespace {

Condition condition(const std::string& text) {
  ValuePool pool;
  return Condition(parse_predicate(text, pool), pool);
}

TEST(Region, RelatesPredicatesOverOneColumn) {
  const auto related = [](const char* a, const char* b) { return relate(condition(a), condition(b)); };
  EXPECT_EQ(related("a BETWEEN 1 AND 5", "a = 3"), Relation::Subsumes);
  EXPECT_EQ(related("a = 3", "a > 1"), Relation::SubsumedBy);
  EXPECT_EQ(related("a < 3", "a >= 3"), Relation::Disjoint);
  EXPECT_EQ(related("a <= 3", "a >= 3.0"), Relation::Overlapping);
  EXPECT_EQ(related("NOT a < 3", "3.0 <= a"), Relation::Identical);
  EXPECT_EQ(related("a IN (1, 2)", "a = 2 OR a = 1"), Relation::Identical);
  EXPECT_EQ(related("a IS NULL", "a = 1 OR a <> 1"), Relation::Disjoint);
  EXPECT_EQ(related("a IS NOT NULL", "a = 1"), Relation::Subsumes);
  EXPECT_EQ(related("a = 'x'", "a = 1"), Relation::Disjoint);
  EXPECT_EQ(related("a", "a = TRUE"), Relation::Identical);
  EXPECT_EQ(related("NOT a", "a"), Relation::Disjoint);
}

TEST(Region, RelatesBoxesOverSeveralColumns) {
  const auto related = [](const char* a, const char* b) { return relate(condition(a), condition(b)); };
  EXPECT_EQ(related("a = 1 AND b = 2", "b = 2"), Relation::SubsumedBy);
  EXPECT_EQ(related("a = 1", "b = 2"), Relation::Overlapping);
  EXPECT_EQ(related("a = 1 AND b < 2", "b > 5 OR a = 2"), Relation::Disjoint);
  EXPECT_EQ(related("a BETWEEN 1 AND 9 AND b = 1", "(a < 5 OR a >= 5) AND b = 1"), Relation::SubsumedBy);
  EXPECT_EQ(related("NOT (a < 3 AND b < 3)", "a >= 3 OR b >= 3"), Relation::Identical);
  EXPECT_EQ(related("TRUE", "a = 1"), Relation::Subsumes);
  EXPECT_EQ(related("FALSE", "TRUE"), Relation::Disjoint);
}

TEST(Region, LikeIsARangeUpToItsFirstWildcard) {
  const auto related = [](const char* a, const char* b) { return relate(condition(a), condition(b)); };
  EXPECT_EQ(related("t LIKE 'ab%'", "t = 'abc'"), Relation::Subsumes);
  EXPECT_EQ(related("t LIKE 'ab%'", "t LIKE 'ac%'"), Relation::Disjoint);
  EXPECT_EQ(related("t LIKE 'a\\%'", "t = 'a%'"), Relation::Identical);
  EXPECT_EQ(related("t LIKE 'a_'", "t = 'ab'"), Relation::Overlapping);
  EXPECT_EQ(related("t LIKE 'a_'", "t = 'b'"), Relation::Disjoint);
  EXPECT_EQ(related("NOT t LIKE 'ab%'", "t LIKE 'abc%'"), Relation::Disjoint);
}

TEST(Region, TooComplexPredicatesCoverEverything) {
  const Region region = region_of(condition("a % 2 = 0"));
  EXPECT_FALSE(region.exact);
  ASSERT_EQ(region.boxes.size(), 1u);
  EXPECT_TRUE(region.hull(0).is_everything());
  EXPECT_EQ(relate(condition("a % 2 = 0"), condition("a = 3")), Relation::Overlapping);
  EXPECT_EQ(relate(condition("a % 2 = 0 AND b = 1"), condition("a = 3 AND b = 2")), Relation::Disjoint);
  EXPECT_EQ(relate(condition("a = b"), condition("a = b")), Relation::Overlapping);
}

TEST(Region, ManyBoxesMergeIntoTheirBoundingBox) {
  std::string text = "a = 0 AND b = 0";
  for (int i = 1; i < 200; ++i) text += " OR a = " + std::to_string(i) + " AND b = " + std::to_string(i);
  const Region region = region_of(condition(text));
  EXPECT_FALSE(region.exact);
  EXPECT_LE(region.boxes.size(), Region::kMaxBoxes);
  EXPECT_TRUE(region.hull(0).contains(Scalar(199)));
  EXPECT_FALSE(region.hull(0).contains(Scalar(200)));
}

std::vector<Scalar> row_for(std::span<const std::string> names, const std::vector<TypedColumn>& row,
                            const ValuePool& pool) {
  std::vector<Scalar> out;
  for (const std::string& name : names)
    for (const TypedColumn& column : row)
      if (column.name == name) out.push_back(Scalar::of(column.value, pool));
  return out;
}

TEST(Region, ContainsEveryMatchingRowAndNoOtherIfExact) {
  const std::uint64_t count = sample_of(20'000);
  std::uint64_t exact = 0, inside = 0;
  for (const std::uint64_t seed : fresh_seeds(count)) {
    ValuePool pool;
    PredicateDraw draw(seed, pool, {.depth = 2});
    const Condition drawn(draw.with_literals(draw.condition()), pool);
    const Region region = region_of(drawn);
    exact += region.exact ? 1 : 0;
    for (int i = 0; i < 5; ++i) {
      const std::vector<Scalar> row = row_for(drawn.columns(), draw.row(), pool);
      const bool matches = evaluate(drawn, row) == Truth::True;
      inside += matches ? 1 : 0;
      ASSERT_TRUE(region.contains(row) == matches || (!matches && !region.exact)) << "seed " << seed;
    }
  }
  EXPECT_GT(exact, count / 10);
  EXPECT_GT(inside, count / 4);
}

bool agrees(Relation relation, bool in_first, bool in_second) {
  switch (relation) {
    case Relation::Disjoint:
      return !in_first || !in_second;
    case Relation::Identical:
      return in_first == in_second;
    case Relation::Subsumes:
      return in_first || !in_second;
    case Relation::SubsumedBy:
      return in_second || !in_first;
    case Relation::Overlapping:
      break;
  }
  return true;
}

// For two predicates and a row, relate() agrees with the interpreter.
TEST(Region, RelationsHoldForEveryRow) {
  const std::uint64_t count = sample_of(30'000);
  std::map<Relation, std::uint64_t> counts;
  for (const std::uint64_t seed : fresh_seeds(count)) {
    ValuePool pool;
    PredicateDraw draw(seed, pool, {.depth = 1});
    const Condition a(draw.with_literals(draw.condition()), pool);
    const Condition b(draw.with_literals(draw.condition()), pool);
    const Relation relation = relate(a, b);
    ++counts[relation];
    for (int i = 0; i < 8; ++i) {
      const std::vector<TypedColumn> row = draw.row();
      const bool in_a = evaluate(a, row_for(a.columns(), row, pool)) == Truth::True;
      const bool in_b = evaluate(b, row_for(b.columns(), row, pool)) == Truth::True;
      ASSERT_TRUE(agrees(relation, in_a, in_b)) << "seed " << seed;
    }
  }
  for (const Relation relation : {Relation::Disjoint, Relation::Subsumes, Relation::SubsumedBy})
    EXPECT_GT(counts[relation], count / 1000);
  if (count < 10'000) return;
  EXPECT_GT(counts[Relation::Identical], 0u);  // About one in a thousand.
}

}  // namespace
}  // namespace serval
