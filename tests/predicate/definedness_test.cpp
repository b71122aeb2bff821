#include "serval/predicate/definedness.h"

#include <vector>

#include <gtest/gtest.h>

#include "predicate/random_predicate.h"
#include "sample.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/predicate/print_predicate.h"

namespace serval {
namespace {

Condition condition_of(const std::string& text) {
  ValuePool pool;
  return Condition(parse_predicate(text, pool), pool);
}

ScalarKinds kinds_with(std::initializer_list<Scalar::Kind> list) {
  ScalarKinds out;
  for (const Scalar::Kind kind : list) out.add(kind);
  return out;
}

TEST(Definedness, KnowsComparisonsWithinOneFamily) {
  using enum Scalar::Kind;
  const std::vector numbers{kinds_with({Integer, Decimal})};
  EXPECT_TRUE(is_defined_everywhere(condition_of("a < 5"), numbers));
  EXPECT_TRUE(is_defined_everywhere(condition_of("a BETWEEN 1 AND 2.5 OR NOT a IN (1, 2, NULL)"), numbers));
  EXPECT_TRUE(is_defined_everywhere(condition_of("a IS NULL AND TRUE"), numbers));
  EXPECT_TRUE(is_defined_everywhere(condition_of("a % 3 = 0"), std::vector{kinds_with({Integer})}));
  EXPECT_TRUE(is_defined_everywhere(condition_of("a = 'x'"), std::vector{kinds_with({Text})}));
  EXPECT_TRUE(is_defined_everywhere(condition_of("a = TRUE"), std::vector{kinds_with({Boolean})}));
  EXPECT_TRUE(is_defined_everywhere(condition_of("a = 'x' OR a = 'y'"), std::vector{kinds_with({})}));
  EXPECT_TRUE(is_defined_everywhere(Condition(), {}));
}

TEST(Definedness, DoubtsEverythingElse) {
  using enum Scalar::Kind;
  const std::vector numbers{kinds_with({Integer, Decimal})};
  EXPECT_FALSE(is_defined_everywhere(condition_of("a < 5 OR a = 'x'"), numbers));
  EXPECT_FALSE(is_defined_everywhere(condition_of("a = 1"), std::vector{kinds_with({Integer, Text})}));
  EXPECT_FALSE(is_defined_everywhere(condition_of("a = 1"), std::vector{kinds_with({Undefined})}));
  EXPECT_FALSE(is_defined_everywhere(condition_of("a % 3 = 0"), numbers));
  EXPECT_FALSE(is_defined_everywhere(condition_of("a % 0 = 0"), std::vector{kinds_with({Integer})}));
  EXPECT_FALSE(is_defined_everywhere(condition_of("a + 1 = 2"), std::vector{kinds_with({Integer})}));
  EXPECT_FALSE(is_defined_everywhere(condition_of("a"), numbers));
}

// Values of every kind, including the ends of their ranges. NULL may always occur.
std::vector<Scalar> values_of(Scalar::Kind kind) {
  using enum Scalar::Kind;
  switch (kind) {
    case Null:
      return {Scalar()};
    case Undefined:
      return {Scalar::undefined()};
    case Boolean:
      return {Scalar::boolean(false), Scalar::boolean(true)};
    case Integer:
      return {Scalar(0), Scalar(-3), Scalar(INT64_MIN), Scalar(INT64_MAX)};
    case Decimal:
      return {Scalar::number("0.0"), Scalar::number("2.5"), Scalar::number("-98765.43210")};
    case Text:
      return {Scalar(""), Scalar("a"), Scalar("\xc3\xa9%")};
  }
  return {};
}

// Columns with one or two kinds each, and some rows with values of these kinds.
class KindTable {
 public:
  KindTable(std::uint64_t seed, std::size_t columns) : random_(seed), values_(columns), kinds_(columns) {
    for (std::size_t i = 0; i < columns; ++i) {
      add(i, Scalar::Kind::Null);
      for (std::uint64_t more = 1 + random_.below(4) / 3; more > 0; --more)
        add(i, static_cast<Scalar::Kind>(random_.below(6)));
    }
  }

  std::span<const ScalarKinds> kinds() const { return kinds_; }
  std::vector<Scalar> row() {
    std::vector<Scalar> out;
    for (const std::vector<Scalar>& values : values_) out.push_back(values[random_.below(values.size())]);
    return out;
  }

 private:
  void add(std::size_t column, Scalar::Kind kind) {
    kinds_[column].add(kind);
    for (Scalar& value : values_of(kind)) values_[column].push_back(std::move(value));
  }

  Random random_;
  std::vector<std::vector<Scalar>> values_;
  std::vector<ScalarKinds> kinds_;
};

TEST(Definedness, EvaluationIsDefinedWhereItIsPromised) {
  std::size_t promised = 0;
  for (const std::uint64_t seed : fresh_seeds(4000)) {
    ValuePool pool;
    PredicateDraw draw(seed, pool, {.numbers = DrawOptions::Numbers::Everything, .depth = 1});
    const Predicate drawn = draw.condition();
    const Condition condition(draw.with_literals(drawn), pool);
    KindTable table(seed, condition.columns().size());
    if (!is_defined_everywhere(condition, table.kinds())) continue;
    ++promised;
    for (int i = 0; i < 60; ++i)
      ASSERT_NE(evaluate(condition, table.row()), Truth::Undefined)
          << "seed " << seed << ": " << print_predicate(draw.with_literals(drawn), pool);
  }
  EXPECT_GT(promised, 100u);
}

// Every value of every kind in every comparison with every other value.
TEST(Definedness, IsExactForOneComparison) {
  using enum Scalar::Kind;
  for (const Scalar::Kind left : {Undefined, Boolean, Integer, Decimal, Text})
    for (const Scalar::Kind right : {Undefined, Boolean, Integer, Decimal, Text}) {
      const Condition less = condition_of("a < b");
      bool defined = true;
      for (const Scalar& a : values_of(left))
        for (const Scalar& b : values_of(right))
          defined = defined && evaluate(less, std::vector{a, b}) != Truth::Undefined;
      EXPECT_EQ(is_defined_everywhere(less, std::vector{kinds_with({left}), kinds_with({right})}), defined)
          << static_cast<int>(left) << " < " << static_cast<int>(right);
    }
}

}  // namespace
}  // namespace serval
