// The two languages for conditions. What is parsed is printed, parsed again into the same tree,
// evaluated over rows and turned into regions.
//
//   P1  parse(print(tree)) is the tree;
//   P2  every row that satisfies a condition lies in its region.

#include "serval/base/error.h"
#include "serval/base/random.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/predicate/parse_sql.h"
#include "serval/predicate/print_predicate.h"
#include "serval/predicate/query.h"
#include "serval/predicate/region.h"
#include "target.h"

namespace serval::fuzz {
namespace {

Scalar draw_scalar(Random& random, const Condition& condition) {
  const auto constants = condition.constants();
  switch (random.below(5)) {
    case 0:
      return Scalar();
    case 1:
      return Scalar(static_cast<std::int64_t>(random.below(7)) - 3);
    case 2:
      return Scalar(INT64_MAX - static_cast<std::int64_t>(random.below(2)));
    default:
      return constants.empty() ? Scalar(0) : constants[random.below(constants.size())];
  }
}

void try_rows(const Condition& condition) {
  const Region region = region_of(condition);
  Random random(1);
  for (int i = 0; i < 8; ++i) {
    std::vector<Scalar> row;
    for (std::size_t column = 0; column < condition.columns().size(); ++column)
      row.push_back(draw_scalar(random, condition));
    if (evaluate(condition, row) == Truth::True && !region.contains(row))
      throw Defect("a row matches that is not in the region of the condition");
    value_of(condition, row);
  }
}

void use(const Predicate& tree, ValuePool& pool) {
  const std::string text = print_predicate(tree, pool);
  Predicate again;
  try {
    again = parse_query(text, pool);
  } catch (const InputError& error) {
    throw Defect("printed as \"" + text + "\", which cannot be read: " + error.what());
  }
  const std::string printed = print_predicate(again, pool);
  if (printed != text) throw Defect("printed as \"" + text + "\", then as \"" + printed + "\"");
  const Query query = query_of(tree, pool), second = query_of(again, pool);
  if (query != second) throw Defect("read again, it means something else: " + text);
  try_rows(query.where);
  try_rows(query.argument);
  for (const Query::Assignment& assignment : query.assignments) try_rows(assignment.value);
}

template <class Parse>
void parse_and_use(std::string_view bytes, Parse parse) {
  ValuePool pool;
  std::optional<Predicate> tree;
  try {
    tree = parse(bytes, pool, "fuzz");
  } catch (const InputError&) {
    return;
  }
  use(*tree, pool);
}

}  // namespace

Target predicate_target() {
  return {"predicate", "conditions, aggregates and assignments as Serval writes them",
          [](std::string_view bytes) {
            parse_and_use(bytes, [](std::string_view text, ValuePool& pool, const char* name) {
              return parse_query(text, pool, name);
            });
          }};
}

Target sql_target() {
  return {"sql", "SQL statements and WHERE clauses, by PostgreSQL's grammar",
          [](std::string_view bytes) { parse_and_use(bytes, parse_sql); }};
}

}  // namespace serval::fuzz
