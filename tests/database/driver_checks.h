#pragma once
// What every driver of a database with ranges must do: answer each kind of request, with and without
// columns, as request.h says.
//
//   const std::unique_ptr<Database> database = open_database("sqlite:", {});
//   check_requests(*database);

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "database/conversation.h"
#include "serval/database/database.h"

namespace serval {

inline Schema checked_schema() {
  return {{.name = "registers", .rows = 4},
          {.name = "lists", .holds = TableInfo::Holds::Lists, .rows = 2},
          {.name = "rows",
           .initial = TableInfo::Initial::Absent,
           .rows = 4,
           .columns = {{.name = "group", .initial = 7, .indexed = true}, {.name = "amount"}}}};
}

// Rows as text, ordered by key: "1:5(7,0) 2:5(7,0)".
inline std::string spelled(Answer answer) {
  std::ranges::sort(answer.rows, {}, &Answer::Row::key);
  std::string out;
  for (const Answer::Row& row : answer.rows) {
    out += (out.empty() ? "" : " ") + std::to_string(row.key) + ":" + std::to_string(row.tag);
    for (std::size_t i = 0; i < row.columns.size(); ++i)
      out += (i == 0 ? "(" : ",") + std::to_string(row.columns[i]) + (i + 1 == row.columns.size() ? ")" : "");
  }
  return out;
}

inline Answer perform_alone(Client& client, const Request& request) {
  client.begin();
  Answer answer = client.perform(request);
  EXPECT_EQ(client.commit(), Outcome::Committed);
  return answer;
}

struct Failure {
  FailureCause cause;
  Outcome outcome;
  friend bool operator==(const Failure&, const Failure&) = default;
};

inline void PrintTo(const Failure& failure, std::ostream* out) {
  *out << name_of(failure.cause) << ", " << name_of(failure.outcome);
}

// How `act` failed. The test fails if `act` succeeds.
inline Failure failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const TransactionFailure& failure) {
    return {failure.cause(), failure.outcome()};
  }
  ADD_FAILURE() << "it did not fail";
  return {FailureCause::Other, Outcome::Committed};
}

// What an insert does if the row exists: PostgreSQL before 9.5 can only abort.
enum class RefusedInserts : std::uint8_t { Answer, Abort };

inline void check_registers(Client& client) {
  using Kind = Request::Kind;
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Read, .key = 1})), "1:0");
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Read, .key = 9})), "");
  perform_alone(client, {.kind = Kind::Write, .key = 1, .tag = 11});
  perform_alone(client, {.kind = Kind::Write, .key = 9, .tag = 12});
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Read, .key = 1, .locks = true})), "1:11");
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Read, .key = 9})), "9:12");

  const Answer before = perform_alone(client, {.kind = Kind::Update, .key = 1, .tag = 13});
  EXPECT_EQ(spelled(before), "1:11");
  EXPECT_TRUE(before.applied);
  const Answer absent = perform_alone(client, {.kind = Kind::Update, .key = 77, .tag = 14});
  EXPECT_FALSE(absent.applied);
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Read, .key = 77})), "");

  EXPECT_TRUE(
      perform_alone(client, {.kind = Kind::CompareAndSet, .key = 1, .tag = 15, .expected = 13}).applied);
  const Answer refused =
      perform_alone(client, {.kind = Kind::CompareAndSet, .key = 1, .tag = 16, .expected = 13});
  EXPECT_FALSE(refused.applied);
  EXPECT_EQ(spelled(refused), "1:15");
  EXPECT_FALSE(perform_alone(client, {.kind = Kind::CompareAndSet, .key = 77, .tag = 16}).applied);
}

inline void check_lists(Client& client) {
  using Kind = Request::Kind;
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(perform_alone(client, {.kind = Kind::ReadList, .table = 1, .key = 0}).list, List{});
  EXPECT_EQ(perform_alone(client, {.kind = Kind::ReadList, .table = 1, .key = 5}).list, List{});
  for (const std::uint64_t key : {0u, 5u})
    for (const std::int64_t tag : {21, 22, 123456789})
      perform_alone(client, {.kind = Kind::Append, .table = 1, .key = key, .tag = tag});
  EXPECT_EQ(perform_alone(client, {.kind = Kind::ReadList, .table = 1, .key = 0}).list,
            (List{21, 22, 123456789}));
  EXPECT_EQ(perform_alone(client, {.kind = Kind::ReadList, .table = 1, .key = 5, .locks = true}).list,
            (List{21, 22, 123456789}));
}

inline void check_rows(Client& client, RefusedInserts inserts) {
  using Kind = Request::Kind;
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Scan, .table = 2, .low = 0, .high = 99})), "");
  EXPECT_TRUE(perform_alone(client, {.kind = Kind::Insert, .table = 2, .key = 1, .tag = 31}).applied);
  EXPECT_TRUE(
      perform_alone(client, {.kind = Kind::Insert, .table = 2, .key = 2, .tag = 32, .columns = {8, -5}})
          .applied);
  const Request taken{.kind = Kind::Insert, .table = 2, .key = 2, .tag = 33};
  if (inserts == RefusedInserts::Abort) {
    EXPECT_EQ(failure_of([&] { perform_alone(client, taken); }),
              (Failure{FailureCause::Constraint, Outcome::Aborted}));
  } else {
    const Answer refused = perform_alone(client, taken);
    EXPECT_FALSE(refused.applied);
    EXPECT_EQ(spelled(refused), "2:32(8,-5)");
  }
  perform_alone(client, {.kind = Kind::Write, .table = 2, .key = 3, .tag = 34, .columns = {8, 6}});
  perform_alone(client, {.kind = Kind::Write, .table = 2, .key = 2, .tag = 35});
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Scan, .table = 2, .low = 1, .high = 2})),
            "1:31(7,0) 2:35(8,-5)");
  EXPECT_EQ(spelled(perform_alone(
                client, {.kind = Kind::Scan, .table = 2, .column = 0, .low = 8, .high = 8, .locks = true})),
            "2:35(8,-5) 3:34(8,6)");
  EXPECT_EQ(spelled(perform_alone(
                client, {.kind = Kind::Update, .table = 2, .key = 3, .tag = 36, .columns = {9, 1}})),
            "3:34(8,6)");
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Read, .table = 2, .key = 3})), "3:36(9,1)");
}

inline void check_ranges(Client& client) {
  using Kind = Request::Kind;
  EXPECT_EQ(
      spelled(perform_alone(
          client, {.kind = Kind::UpdateRange, .table = 2, .tag = 41, .column = 0, .low = 8, .high = 9})),
      "2:41(8,-5) 3:41(9,1)");
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::UpdateRange,
                                           .table = 2,
                                           .tag = 42,
                                           .columns = {5, 6},
                                           .column = 0,
                                           .low = 7,
                                           .high = 8})),
            "1:42(5,6) 2:42(5,6)");
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::DeleteRange, .table = 2, .low = 2, .high = 50})),
            "2:42(5,6) 3:41(9,1)");
  EXPECT_EQ(spelled(perform_alone(client,
                                  {.kind = Kind::UpdateRange, .table = 2, .tag = 43, .low = 2, .high = 50})),
            "");
  EXPECT_TRUE(perform_alone(client, {.kind = Kind::Delete, .table = 2, .key = 1}).applied);
  EXPECT_FALSE(perform_alone(client, {.kind = Kind::Delete, .table = 2, .key = 1}).applied);
  EXPECT_EQ(spelled(perform_alone(client, {.kind = Kind::Scan, .table = 2, .low = 0, .high = 99})), "");
}

// Creates the tables of checked_schema and leaves them there.
inline void check_requests(Database& database, RefusedInserts inserts = RefusedInserts::Answer) {
  database.create(checked_schema());
  const std::unique_ptr<Client> client = database.connect(0);
  check_registers(*client);
  check_lists(*client);
  check_rows(*client, inserts);
  check_ranges(*client);

  client->begin();
  client->perform({.kind = Request::Kind::Write, .key = 2, .tag = 51});
  client->roll_back();
  EXPECT_EQ(spelled(perform_alone(*client, {.kind = Request::Kind::Read, .key = 2})), "2:0");
}

// Two sessions. The first writes and commits before the second writes.
struct Pair {
  std::unique_ptr<Client> first, second;
};

inline Pair connect_pair(Database& database) { return {database.connect(0), database.connect(1)}; }

// Write skew: both read keys 0 and 1, and each writes one of them. Returns the outcome of the second
// commit, or throws its failure.
inline Outcome try_write_skew(const Pair& clients) {
  for (Client* client : {clients.first.get(), clients.second.get()}) {
    client->begin();
    read(*client, 0);
    read(*client, 1);
  }
  write(*clients.first, 0, 101);
  EXPECT_EQ(clients.first->commit(), Outcome::Committed);
  write(*clients.second, 1, 102);
  return clients.second->commit();
}

// Lost update: both read key 0, and both write it. Returns the outcome of the second commit, or throws
// its failure.
inline Outcome try_lost_update(const Pair& clients) {
  for (Client* client : {clients.first.get(), clients.second.get()}) {
    client->begin();
    read(*client, 0);
  }
  write(*clients.first, 0, 103);
  EXPECT_EQ(clients.first->commit(), Outcome::Committed);
  write(*clients.second, 0, 104);
  return clients.second->commit();
}

// Many sessions update two keys concurrently. An update is atomic at every level: each tag is replaced
// by at most one committed update, the one that saw it. So the writes of a key form one chain from its
// initial tag.
inline void check_updates_at_once(Database& database) {
  constexpr std::uint32_t kSessions = 4;
  constexpr std::int64_t kUpdates = 40;
  database.create(checked_schema());
  std::mutex mutex;
  // The tag that replaced a given tag of a key.
  std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t> next;
  const auto update = [&](Client& client, std::uint64_t key, std::int64_t tag) {
    client.begin();
    const Answer before = client.perform({.kind = Request::Kind::Update, .key = key, .tag = tag});
    // H2 at read uncommitted sometimes finds no row. Then it must not have written one.
    if (client.commit() != Outcome::Committed || !before.applied) return;
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(next.emplace(std::pair(key, before.rows.at(0).tag), tag).second)
        << "two replaced the same tag";
  };
  std::vector<std::thread> threads;
  for (std::uint32_t session = 0; session < kSessions; ++session)
    threads.emplace_back([&, session] {
      const std::unique_ptr<Client> client = database.connect(session);
      for (std::int64_t i = 1; i <= kUpdates; ++i) try {
          update(*client, static_cast<std::uint64_t>(i % 2), session * 1000 + i);
        } catch (const TransactionFailure& failure) {
          EXPECT_EQ(failure.outcome(), Outcome::Aborted) << failure.what();
        }
    });
  for (std::thread& thread : threads) thread.join();

  const std::unique_ptr<Client> client = database.connect(0);
  std::size_t steps = 0;
  for (const std::uint64_t key : {0u, 1u}) {
    std::int64_t last = 0;
    for (auto at = next.find({key, 0}); at != next.end(); at = next.find({key, last})) {
      last = at->second;
      ++steps;
    }
    EXPECT_EQ(perform_alone(*client, {.kind = Request::Kind::Read, .key = key}).rows.at(0).tag, last);
  }
  EXPECT_EQ(steps, next.size());
  EXPECT_GT(steps, 0u);
}

// Two transactions each wait for what the other wrote: one is the victim, and the other commits.
inline void expect_one_deadlock(Database& database) {
  const Pair clients = connect_pair(database);
  clients.first->begin();
  clients.second->begin();
  write(*clients.first, 0, 1);
  write(*clients.second, 1, 2);
  std::atomic<int> deadlocks = 0;
  const auto write_other = [&](Client& client, std::uint64_t key) {
    try {
      write(client, key, 3);
      EXPECT_EQ(client.commit(), Outcome::Committed);
    } catch (const TransactionFailure& failure) {
      EXPECT_EQ(failure.cause(), FailureCause::Deadlock);
      ++deadlocks;
    }
  };
  std::thread other([&] { write_other(*clients.first, 1); });
  write_other(*clients.second, 0);
  other.join();
  EXPECT_EQ(deadlocks, 1);
}

}  // namespace serval
