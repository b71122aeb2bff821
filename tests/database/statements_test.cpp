// The statements that are sent to databases, for each dialect.
#include "serval/database/sql/statements.h"

#include <gtest/gtest.h>

#include "serval/base/error.h"
#include "serval/database/address.h"

namespace serval::sql {
namespace {

const Schema kSchema = {
    {.name = "rows", .rows = 1001, .columns = {{.name = "group", .initial = 7, .indexed = true}}},
    {.name = "lists", .holds = TableInfo::Holds::Lists}};

TEST(Statements, NumberTheirParametersAsTheDialectDoes) {
  EXPECT_EQ(Statements(kSchema, kPostgres).tables[0].compare_and_set.text,
            "update \"serval_rows\" set tag = $2 where k = $1 and tag = $3");
  EXPECT_EQ(Statements(kSchema, kSqlite).tables[0].compare_and_set.text,
            "update \"serval_rows\" set tag = ?2 where k = ?1 and tag = ?3");
  const Statements mariadb(kSchema, kMariadb);
  EXPECT_EQ(mariadb.tables[0].compare_and_set.text,
            "update `serval_rows` set tag = ? where k = ? and tag = ?");
  EXPECT_EQ(mariadb.tables[0].compare_and_set.order, (std::vector<std::uint8_t>{1, 0, 2}));
}

TEST(Statements, WriteWithAndWithoutColumns) {
  const Statements postgres(kSchema, kPostgres);
  EXPECT_EQ(postgres.tables[0].write.text,
            "insert into \"serval_rows\" (k, tag, \"group\") values ($1, $2, 7) "
            "on conflict (k) do update set tag = excluded.tag");
  EXPECT_EQ(postgres.tables[0].write_columns.text,
            "insert into \"serval_rows\" (k, tag, \"group\") values ($1, $2, $3) "
            "on conflict (k) do update set tag = excluded.tag, \"group\" = excluded.\"group\"");
  EXPECT_EQ(Statements(kSchema, kMariadb).tables[0].write.text,
            "insert into `serval_rows` (k, tag, `group`) values (?, ?, 7) on duplicate key update tag = "
            "values(tag)");
  EXPECT_EQ(Statements(kSchema, kH2).tables[0].write.text,
            "update \"serval_rows\" set tag = $2 where k = $1");
}

TEST(Statements, ReturnWhatTheyWrote) {
  EXPECT_EQ(Statements(kSchema, kPostgres).tables[0].ranges[1].remove.text,
            "delete from \"serval_rows\" where \"group\" between $1 and $2 returning k, tag, \"group\"");
  EXPECT_EQ(Statements(kSchema, kH2).tables[0].ranges[0].update.text,
            "select k, tag, \"group\" from final table "
            "(update \"serval_rows\" set tag = $3 where k between $1 and $2)");
  EXPECT_EQ(Statements(kSchema, kMysql).tables[0].ranges[0].remove.text,
            "delete from `serval_rows` where k between ? and ?");
}

TEST(Statements, ReadEverythingWithoutACondition) {
  const Statements statements(kSchema, kPostgres);
  const TableStatements& rows = statements.tables[0];
  EXPECT_EQ(rows.ranges[1].everything.text,
            "select k, tag, \"group\" from \"serval_rows\" order by \"group\"");
  EXPECT_TRUE(rows.ranges[1].everything.by_predicate);
}

TEST(Statements, HaveDistinctNumbers) {
  const Statements statements(kSchema, kSqlite);
  EXPECT_EQ(statements.tables[0].read.id, 0u);
  EXPECT_LT(statements.tables[0].ranges[1].remove.id, statements.tables[1].read_list.id);
  EXPECT_LT(statements.tables[1].remove.id, statements.count);
}

TEST(Tables, AreCreatedAndLoadedInBatches) {
  std::vector<std::string> texts;
  create_tables(kSchema, kMariadb, [&](const std::string& text) { texts.push_back(text.substr(0, 90)); });
  EXPECT_EQ(texts,
            (std::vector<std::string>{
                "drop table if exists `serval_rows`",
                "drop table if exists `serval_lists`",
                "create table `serval_rows` (k bigint primary key, tag bigint not null, `group` bigint not ",
                "create index `serval_rows_group` on `serval_rows` (`group`)",
                "create table `serval_lists` (k bigint primary key, list longtext not null)",
                "begin",
                "insert into `serval_rows` values (0, 0, 7), (1, 0, 7), (2, 0, 7), (3, 0, 7), (4, 0, 7), (5",
                "insert into `serval_rows` values (1000, 0, 7)",
                "commit",
            }));
}

TEST(Place, HasPartsThatMayBeAbsent) {
  const Place whole = parse_place("//app@db1:3307/bench");
  EXPECT_EQ(whole.user, "app");
  EXPECT_EQ(whole.host, "db1");
  EXPECT_EQ(whole.port, 3307);
  EXPECT_EQ(whole.database, "bench");
  const Place six = parse_place("[::1]:3307");
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.port, 3307);
  EXPECT_EQ(parse_place("db2").port, 0);
  EXPECT_THROW((void)parse_place("db2:port"), InputError);
  EXPECT_THROW((void)parse_place("//app:secret@db2"), InputError);
}

}  // namespace
}  // namespace serval::sql
