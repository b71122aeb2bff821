// The interpreter agrees with databases about random predicates and rows. SERVAL_RANDOM_HISTORIES sets
// the number of predicates, SERVAL_RANDOM_SEED the first seed.
#include <map>

#include <gtest/gtest.h>

#include "database/local_server.h"
#include "predicate/random_predicate.h"
#include "sample.h"
#include "serval/database/drivers.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/predicate/print_predicate.h"

#if SERVAL_WITH_SQLITE
#include <sqlite3.h>
#endif
#if SERVAL_WITH_POSTGRES
#include "serval/database/postgres/postgres_connection.h"
#include "skip_without.h"
#endif

namespace serval {
namespace {

std::vector<Scalar> values_for(const Condition& condition, const std::vector<TypedColumn>& row,
                               const ValuePool& pool) {
  std::vector<Scalar> out;
  for (const std::string& name : condition.columns())
    for (const TypedColumn& column : row)
      if (column.name == name) out.push_back(Scalar::of(column.value, pool));
  return out;
}

std::string format_row(const std::vector<TypedColumn>& row, const ValuePool& pool) {
  std::string out;
  for (const TypedColumn& column : row) out += " " + column.name + "=" + pool.format(column.value);
  return out;
}

using Counts = std::map<Truth, std::uint64_t>;
void expect_variety(const Counts& counts) {
  std::uint64_t all = 0;
  for (const auto& [truth, count] : counts) all += count;
  for (const Truth truth : {Truth::False, Truth::Unknown, Truth::True})
    EXPECT_GT(counts.contains(truth) ? counts.at(truth) : 0, all / 20) << name_of(truth);
  EXPECT_LT(counts.contains(Truth::Undefined) ? counts.at(Truth::Undefined) : 0, all / 4);
}

#if SERVAL_WITH_SQLITE

class SqliteOracle {
 public:
  SqliteOracle() {
    EXPECT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database_, "pragma case_sensitive_like = on", nullptr, nullptr, nullptr),
              SQLITE_OK);
  }
  ~SqliteOracle() {
    sqlite3_finalize(statement_);
    sqlite3_close(database_);
  }
  SqliteOracle(const SqliteOracle&) = delete;
  SqliteOracle& operator=(const SqliteOracle&) = delete;

  std::string prepare(const std::string& where) {
    sqlite3_finalize(statement_);
    const std::string text =
        "select " + where +
        " from (select ?1 as i, ?2 as j, ?3 as s, ?4 as d, ?5 as e, ?6 as t, ?7 as u, ?8 as b)";
    const int code = sqlite3_prepare_v2(database_, text.c_str(), -1, &statement_, nullptr);
    return code == SQLITE_OK ? "" : sqlite3_errmsg(database_);
  }

  Truth ask(const std::vector<TypedColumn>& row, const ValuePool& pool) {
    for (std::size_t i = 0; i < row.size(); ++i) bind(static_cast<int>(i) + 1, row[i], pool);
    Truth out = Truth::Undefined;
    if (sqlite3_step(statement_) == SQLITE_ROW)
      out = sqlite3_column_type(statement_, 0) == SQLITE_NULL
                ? Truth::Unknown
                : truth_of(sqlite3_column_int(statement_, 0) != 0);
    sqlite3_reset(statement_);
    return out;
  }

 private:
  void bind(int at, const TypedColumn& column, const ValuePool& pool) {
    const Scalar value = Scalar::of(column.value, pool);
    if (value.is_null()) {
      sqlite3_bind_null(statement_, at);
    } else if (column.type == Type::Text) {
      sqlite3_bind_text(statement_, at, value.as_text().data(), static_cast<int>(value.as_text().size()),
                        SQLITE_TRANSIENT);
    } else if (column.type == Type::Boolean) {
      sqlite3_bind_int(statement_, at, value.as_boolean() ? 1 : 0);
    } else if (value.kind() == Scalar::Kind::Integer) {
      sqlite3_bind_int64(statement_, at, value.as_integer());
    } else {
      sqlite3_bind_double(statement_, at, std::stod(value.format()));
    }
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

TEST(PredicateOracle, SqliteAgreesOnRandomPredicates) {
  const std::uint64_t count = sample_of(100'000);
  const std::uint64_t seed = number_from_environment("SERVAL_RANDOM_SEED", 1);
  constexpr int kRows = 4;
  SqliteOracle sqlite;
  Counts counts;
  for (std::uint64_t number = 0; number < count; ++number) {
    ValuePool pool;
    PredicateDraw draw(seed + number, pool, {});
    const Predicate tree = draw.with_literals(draw.condition());
    const std::string text = print_predicate(tree, pool);
    ASSERT_EQ(sqlite.prepare(text), "") << text;
    const Condition condition(tree, pool);
    for (int i = 0; i < kRows; ++i) {
      const std::vector<TypedColumn> row = draw.row();
      const Truth truth = evaluate(condition, values_for(condition, row, pool));
      ++counts[truth];
      if (truth == Truth::Undefined) continue;
      ASSERT_EQ(name_of(truth), name_of(sqlite.ask(row, pool)))
          << "seed " << seed + number << ": " << text << "\n"
          << format_row(row, pool);
    }
  }
  expect_variety(counts);
}

#endif

TEST(PredicateOracle, PrintedPredicatesReadBackAsTheSameTree) {
  const std::uint64_t count = sample_of(20'000);
  for (const std::uint64_t seed : fresh_seeds(count)) {
    ValuePool pool;
    PredicateDraw draw(seed, pool, {.numbers = DrawOptions::Numbers::Everything, .depth = 4});
    const Predicate tree = draw.with_literals(draw.condition());
    const std::string text = print_predicate(tree, pool);
    ASSERT_EQ(parse_predicate(text, pool), tree) << text;
  }
}

#if SERVAL_WITH_POSTGRES

std::string typed(const TypedColumn& column, const ValuePool& pool) {
  const Scalar value = Scalar::of(column.value, pool);
  switch (column.type) {
    case Type::Integer:
      return "(" + value.format() + ")::bigint";
    case Type::Decimal:
      return "(" + value.format() + ")::numeric";
    case Type::Boolean:
      return value.format() + "::boolean";
    case Type::Text:
      break;
  }
  return value.format() + "::text collate \"C\"";
}

bool is_undefined_somewhere(const Predicate& tree, const std::vector<TypedColumn>& row,
                            const ValuePool& pool) {
  const Condition part(tree, pool);
  if (value_of(part, values_for(part, row, pool)).is_undefined()) return true;
  for (const Predicate& child : tree.children)
    if (is_undefined_somewhere(child, row, pool)) return true;
  return false;
}

// The constants are columns here too: PostgreSQL treats 5 as 32 bits and needs a type for NULL.
TEST(PredicateOracle, PostgresAgreesOnRandomPredicates) {
  const LocalServer server("postgres");
  if (server.absent()) SKIP_WITHOUT("postgres", server.problem());
  ASSERT_FALSE(server.addresses().empty()) << server.problem();
  const auto connect = [](const std::string& address) {
    return postgres::ConnectionOptions{.node = postgres::parse_postgres_address(address, {}).nodes.front()};
  };
  std::string address = server.addresses().front();
  postgres::PostgresConnection(connect(address))
      .execute("create database predicates encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0");
  address.replace(address.rfind('/'), std::string::npos, "/predicates");
  postgres::PostgresConnection connection(connect(address));

  const std::uint64_t count = sample_of(6000);
  Counts counts;
  for (const std::uint64_t seed : fresh_seeds(count)) {
    ValuePool pool;
    PredicateDraw draw(seed, pool, {.numbers = DrawOptions::Numbers::Everything});
    const Predicate tree = draw.condition();
    std::vector<TypedColumn> row = draw.row();
    row.insert(row.end(), draw.constants.begin(), draw.constants.end());
    std::string selected;
    for (const TypedColumn& column : row)
      selected += (selected.empty() ? "" : ", ") + typed(column, pool) + " as " + column.name;
    const Condition condition(draw.with_literals(tree), pool);
    const Truth truth = evaluate(condition, values_for(condition, row, pool));
    ++counts[truth];
    const std::string text =
        "select (" + print_predicate(tree, pool) + ")::text from (select " + selected + ") as r";
    std::string answer;
    try {
      answer = connection.execute(text);
    } catch (const DatabaseError& error) {
      ASSERT_TRUE(draw.mixes_kinds || is_undefined_somewhere(tree, row, pool)) << text << "\n"
                                                                               << error.what();
      continue;
    }
    if (truth == Truth::Undefined) continue;
    ASSERT_EQ(answer.empty() ? "unknown" : answer, name_of(truth)) << "seed " << seed << ": " << text;
  }
  expect_variety(counts);
}

#endif

}  // namespace
}  // namespace serval
