#include "serval/predicate/integer_boxes.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/random.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"

namespace serval {
namespace {

std::optional<std::vector<IntegerBox>> boxes_of(const std::string& text) {
  ValuePool pool;
  return integer_boxes(Condition(parse_predicate(text, pool), pool));
}

TEST(IntegerBoxes, OneBoxForEachChoiceOfIntervals) {
  const auto found = boxes_of("a < 5 AND b IN (1, 3)");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<IntegerBox>{{{0, INT64_MIN + 1, 4}, {1, 1, 1}},
                                             {{0, INT64_MIN + 1, 4}, {1, 3, 3}}}));
}

TEST(IntegerBoxes, NoneForAnythingButComparisonsOfIntegers) {
  for (const char* text : {"a % 2 = 0", "a = 1.5", "a = 'x'", "a IS NULL", "a LIKE 'x%'", "a + 1 = 2",
                           "a IN (1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33)"})
    EXPECT_FALSE(boxes_of(text)) << text;
}

bool is_in(const IntegerBox& box, std::span<const Scalar> row) {
  return std::ranges::all_of(box, [&](const IntegerBound& bound) {
    const Scalar& value = row[bound.column];
    return !value.is_null() && value.as_integer() >= bound.low && value.as_integer() <= bound.high;
  });
}

std::string draw_comparisons(Random& random, int depth) {
  const auto number = [&] { return std::to_string(static_cast<int>(random.below(9)) - 4); };
  const std::string column = random.chance(0.5) ? "a" : "b";
  switch (depth == 0 ? 3 + random.below(3) : random.below(6)) {
    case 0:
      return "NOT (" + draw_comparisons(random, depth - 1) + ")";
    case 1:
      return "(" + draw_comparisons(random, depth - 1) + " AND " + draw_comparisons(random, depth - 1) + ")";
    case 2:
      return "(" + draw_comparisons(random, depth - 1) + " OR " + draw_comparisons(random, depth - 1) + ")";
    case 3:
      return column + " BETWEEN " + number() + " AND " + number();
    case 4:
      return column + " IN (" + number() + ", " + number() + ")";
    default:
      static const std::vector<std::string> kSigns{" = ", " <> ", " < ", " <= ", " > ", " >= "};
      return column + kSigns[random.below(6)] + number();
  }
}

TEST(IntegerBoxes, ContainExactlyTheMatchingRows) {
  std::size_t found = 0;
  for (const std::uint64_t seed : fresh_seeds(2000)) {
    Random random(seed);
    ValuePool pool;
    const std::string text = draw_comparisons(random, 3);
    const Condition condition(parse_predicate(text, pool), pool);
    const auto boxes = integer_boxes(condition);
    if (!boxes) continue;
    ++found;
    for (int i = 0; i < 30; ++i) {
      std::vector<Scalar> row;
      for (std::size_t column = 0; column < condition.columns().size(); ++column)
        row.push_back(random.chance(0.1) ? Scalar() : Scalar(static_cast<int>(random.below(13)) - 6));
      ASSERT_EQ(std::ranges::any_of(*boxes, [&](const IntegerBox& box) { return is_in(box, row); }),
                evaluate(condition, row) == Truth::True)
          << text;
    }
  }
  EXPECT_GT(found, 100u);
}

}  // namespace
}  // namespace serval
