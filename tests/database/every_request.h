#pragma once
// How every driver answers each kind of request, in transactions without conflicts.

#include <gtest/gtest.h>

#include "database/conversation.h"

namespace serval {

inline void expect_registers_work(Client& client) {
  client.begin();
  EXPECT_EQ(read(client, 3), 0);
  write(client, 3, 11);
  EXPECT_EQ(read(client, 3), 11) << "a transaction sees its own writes";
  const Answer updated = client.perform({.kind = Request::Kind::Update, .key = 3, .tag = 12});
  ASSERT_EQ(updated.rows.size(), 1u);
  EXPECT_EQ(updated.rows.front().tag, 11) << "an update answers the row as it was";
  EXPECT_TRUE(updated.applied);
  EXPECT_EQ(client.commit(), Outcome::Committed);

  client.begin();
  EXPECT_EQ(read(client, 3), 12);
  write(client, 4, 13);
  client.roll_back();

  client.begin();
  EXPECT_EQ(read(client, 4), 0) << "what was rolled back is gone";
  EXPECT_EQ(client.commit(), Outcome::Committed);
}

inline void expect_conditions_work(Client& client) {
  using Kind = Request::Kind;
  client.begin();
  EXPECT_EQ(read(client, 1, 2), std::nullopt);
  EXPECT_TRUE(
      client.perform({.kind = Kind::Insert, .table = 2, .key = 1, .tag = 21, .columns = {5, -6}}).applied);
  const Answer refused = client.perform({.kind = Kind::Insert, .table = 2, .key = 1, .tag = 22});
  EXPECT_FALSE(refused.applied);
  ASSERT_EQ(refused.rows.size(), 1u);
  EXPECT_EQ(refused.rows.front().tag, 21);
  EXPECT_EQ(client.commit(), Outcome::Committed);

  client.begin();
  const Answer wrong =
      client.perform({.kind = Kind::CompareAndSet, .table = 2, .key = 1, .tag = 23, .expected = 9});
  EXPECT_FALSE(wrong.applied);
  ASSERT_EQ(wrong.rows.size(), 1u);
  EXPECT_EQ(wrong.rows.front().tag, 21);
  EXPECT_TRUE(
      client.perform({.kind = Kind::CompareAndSet, .table = 2, .key = 1, .tag = 24, .expected = 21}).applied);
  const Answer row = client.perform({.kind = Kind::Read, .table = 2, .key = 1, .locks = true});
  ASSERT_EQ(row.rows.size(), 1u);
  EXPECT_EQ(row.rows.front().key, 1u);
  EXPECT_EQ(row.rows.front().tag, 24);
  EXPECT_EQ(row.rows.front().columns, (std::vector<std::int64_t>{5, -6})) << "columns not given stay";
  EXPECT_EQ(client.commit(), Outcome::Committed);

  client.begin();
  EXPECT_TRUE(client.perform({.kind = Kind::Delete, .table = 2, .key = 1}).applied);
  EXPECT_EQ(read(client, 1, 2), std::nullopt);
  EXPECT_FALSE(client.perform({.kind = Kind::Delete, .table = 2, .key = 1}).applied);
  const Answer absent = client.perform({.kind = Kind::CompareAndSet, .table = 2, .key = 1, .tag = 25});
  EXPECT_FALSE(absent.applied);
  EXPECT_TRUE(absent.rows.empty());
  write(client, 2, 26, 2);
  const Answer written = client.perform({.kind = Kind::Read, .table = 2, .key = 2});
  ASSERT_EQ(written.rows.size(), 1u) << "a write makes the row that is not there";
  EXPECT_EQ(written.rows.front().columns, (std::vector<std::int64_t>{7, 8})) << "with the initial columns";
  EXPECT_EQ(client.commit(), Outcome::Committed);
}

inline void expect_lists_work(Client& client) {
  client.begin();
  EXPECT_EQ(read_list(client, 5), std::vector<std::int64_t>{});
  client.perform({.kind = Request::Kind::Append, .table = 1, .key = 5, .tag = 31});
  client.perform({.kind = Request::Kind::Append, .table = 1, .key = 5, .tag = -32});
  EXPECT_EQ(read_list(client, 5), (std::vector<std::int64_t>{31, -32}));
  EXPECT_EQ(client.commit(), Outcome::Committed);
  client.begin();
  client.perform({.kind = Request::Kind::Append, .table = 1, .key = 5, .tag = 33});
  EXPECT_EQ(client.commit(), Outcome::Committed);
  client.begin();
  EXPECT_EQ(read_list(client, 5), (std::vector<std::int64_t>{31, -32, 33}));
  EXPECT_EQ(client.commit(), Outcome::Committed);
}

}  // namespace serval
