#include "serval/predicate/match_index.h"

#include <gtest/gtest.h>

#include "predicate/random_predicate.h"
#include "sample.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/predicate/print_predicate.h"

namespace serval {
namespace {

constexpr std::uint32_t kNone = MatchChanges::kNone;

Condition condition(const std::string& text) {
  ValuePool pool;
  return Condition(parse_predicate(text, pool), pool);
}

MatchChanges changes_of(const MatchIndex& index, const Condition& asked) {
  Budget budget = Budget::unlimited();
  return index.changes(asked, budget);
}

// Two keys: x is 3, 9, absent, 4, 4; y is always 7.
MatchIndex small_index() {
  VersionRows table({"place"});
  table.begin_key(KeyId{5});
  table.add_absence();
  table.add_row(std::vector{Scalar(3)});
  table.add_row(std::vector{Scalar(9)});
  table.add_absence();
  table.add_row(std::vector{Scalar(4)});
  table.add_row(std::vector{Scalar(4)});
  table.begin_key(KeyId{2});
  table.add_row(std::vector{Scalar(7)});
  return MatchIndex(std::move(table));
}

TEST(MatchIndex, FindsTheNearestChangesAroundWhatWasSeen) {
  const MatchChanges changes = changes_of(small_index(), condition("place < 5"));
  const KeyId x{5}, y{2};
  EXPECT_EQ(changes.around(x, 0), (MatchChanges::Neighbours{kNone, 1}));
  EXPECT_EQ(changes.around(x, 1), (MatchChanges::Neighbours{1, 2}));
  EXPECT_EQ(changes.around(x, 2), (MatchChanges::Neighbours{2, 4}));
  EXPECT_EQ(changes.around(x, 3), (MatchChanges::Neighbours{2, 4}));
  EXPECT_EQ(changes.around(x, 5), (MatchChanges::Neighbours{4, kNone}));
  EXPECT_EQ(changes.around(y, 0), (MatchChanges::Neighbours{kNone, kNone}));
  ASSERT_EQ(changes.keys().size(), 1u);
  EXPECT_TRUE(changes.matches(changes.keys()[0], 1));
  EXPECT_FALSE(changes.matches(changes.keys()[0], 3));
  EXPECT_EQ(changes.undefined(), std::nullopt);
}

TEST(MatchIndex, AMatchingInitialRowIsAChange) {
  const MatchChanges changes = changes_of(small_index(), condition("place = 7"));
  EXPECT_EQ(changes.around(KeyId{2}, 0), (MatchChanges::Neighbours{0, kNone}));
}

TEST(MatchIndex, SaysWhereAConditionIsUndefined) {
  EXPECT_EQ(changes_of(small_index(), condition("place / (place - 9) = 0")).undefined()->position, 2u);
  EXPECT_EQ(changes_of(small_index(), condition("place = 'x'")).undefined()->position, 1u);
  EXPECT_EQ(changes_of(small_index(), condition("colour = 1")).undefined()->key, KeyId{5});
  for (const char* text : {"place = 3 OR place LIKE 'a%'", "place = 3 OR 'a' LIKE 'b\\'",
                           "place = 3 OR 1 / 0 = 1", "place = 3 OR 5", "place IN (3, 'x')"}) {
    const MatchChanges changes = changes_of(small_index(), condition(text));
    ASSERT_TRUE(changes.undefined()) << text;
    EXPECT_EQ(changes.undefined()->position, 2u) << text;
  }
}

struct Drawn {
  VersionRows table;
  std::vector<std::vector<std::optional<std::vector<TypedColumn>>>> rows;  // By key and position.
};

// Up to six keys with up to eight versions, one in five of which has no row.
Drawn draw_versions(PredicateDraw& draw, Random& random, const ValuePool& pool) {
  Drawn out{VersionRows({"i", "j", "s", "d", "e", "t", "u", "b"}), {}};
  out.rows.resize(1 + random.below(6));
  for (std::uint32_t key = 0; key < out.rows.size(); ++key) {
    out.table.begin_key(KeyId{key});
    out.rows[key].resize(1 + random.below(8));
    for (auto& row : out.rows[key]) {
      if (random.chance(0.2)) {
        out.table.add_absence();
        continue;
      }
      row = draw.row();
      std::vector<Scalar> values;
      for (const TypedColumn& column : *row) values.push_back(Scalar::of(column.value, pool));
      out.table.add_row(values);
    }
  }
  return out;
}

// By definition: evaluate every version of every key.
void expect_definition(const Condition& asked, const Drawn& drawn, const MatchChanges& changes,
                       const ValuePool& pool, const std::string& text) {
  bool undefined = false;
  for (std::uint32_t key = 0; key < drawn.rows.size(); ++key) {
    std::vector<std::uint32_t> expected;
    bool matched = false;
    for (std::uint32_t position = 0; position < drawn.rows[key].size(); ++position) {
      Truth truth = Truth::False;
      if (const auto& row = drawn.rows[key][position]) {
        std::vector<Scalar> values;
        for (const std::string& name : asked.columns())
          for (const TypedColumn& column : *row)
            if (column.name == name) values.push_back(Scalar::of(column.value, pool));
        truth = evaluate(asked, values);
      }
      undefined = undefined || truth == Truth::Undefined;
      if ((truth == Truth::True) != matched) expected.push_back(position);
      matched = truth == Truth::True;
    }
    for (std::uint32_t seen = 0; seen < drawn.rows[key].size(); ++seen) {
      MatchChanges::Neighbours nearest;
      for (const std::uint32_t change : expected) {
        if (change <= seen) nearest.at_or_before = change;
        if (change > seen && nearest.after == kNone) nearest.after = change;
      }
      ASSERT_EQ(changes.around(KeyId{key}, seen), nearest) << text << " key " << key << " seen " << seen;
    }
  }
  // The converse does not hold: NULL AND 1 / 0 = 1 is undefined, but never true.
  ASSERT_TRUE(undefined || !changes.undefined()) << text;
}

TEST(MatchIndex, AgreesWithEvaluatingEveryVersion) {
  std::uint64_t with_changes = 0;
  const std::uint64_t count = sample_of(4000);
  for (const std::uint64_t seed : fresh_seeds(count)) {
    ValuePool pool;
    Random random(seed);
    PredicateDraw draw(seed, pool, {.depth = 2});
    Drawn drawn = draw_versions(draw, random, pool);
    const MatchIndex index(std::move(drawn.table));
    for (int i = 0; i < 5; ++i) {
      const Predicate tree = draw.with_literals(draw.condition());
      const Condition asked(tree, pool);
      const MatchChanges changes = changes_of(index, asked);
      with_changes += changes.keys().empty() ? 0 : 1;
      expect_definition(asked, drawn, changes, pool, print_predicate(tree, pool));
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(with_changes, 2 * count);
}

}  // namespace
}  // namespace serval
