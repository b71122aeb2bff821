#if SERVAL_WITH_ROCKSDB

#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "database/conversation.h"
#include "database/every_request.h"
#include "serval/base/error.h"
#include "serval/database/drivers.h"

namespace serval {
namespace {

class Rocksdb : public testing::TestWithParam<std::string> {
 protected:
  void open(const std::string& isolation) {
    one.reset();
    other.reset();
    database = open_rocksdb("rocksdb:?kind=" + GetParam(), {.isolation = isolation});
    database->create(three_tables());
    one = database->connect(0);
    other = database->connect(1);
  }

  // Both read both keys, then each writes one of them.
  std::pair<Ending, Ending> write_skew() {
    const auto look = [](Client& client) {
      client.begin();
      read(client, 0);
      read(client, 1);
    };
    Ending second;
    const auto act_second = [&] {
      second = ending_of([&] {
        look(*other);
        write(*other, 1, 2);
        return other->commit();
      });
    };
    std::thread waiting;
    const Ending first = ending_of([&] {
      look(*one);
      if (GetParam() == "pessimistic") {  // Where reads lock, the second has to be a thread that waits.
        waiting = std::thread(act_second);
        write(*one, 0, 1);
        if (database->facts()["isolation"] != "serializable") waiting.join();
      } else {
        look(*other);
        write(*one, 0, 1);
        write(*other, 1, 2);
        second = commit(*other);
      }
      return one->commit();
    });
    if (waiting.joinable()) waiting.join();
    return {first, second};
  }

  std::unique_ptr<Database> database;
  std::unique_ptr<Client> one, other;
};

TEST_P(Rocksdb, AnswersEveryKindOfRequestAtEveryIsolation) {
  for (const char* isolation : {"serializable", "snapshot-isolation", "read-committed"}) {
    SCOPED_TRACE(isolation);
    open(isolation);
    expect_registers_work(*one);
    expect_conditions_work(*one);
    expect_lists_work(*one);
    EXPECT_THROW(one->perform({.kind = Request::Kind::Scan}), DatabaseError) << "it has no ranges";
  }
}

TEST_P(Rocksdb, ReportsTheSequenceNumberOfASnapshot) {
  open("snapshot-isolation");
  one->begin();
  write(*one, 0, 1);
  ASSERT_EQ(one->commit(), Outcome::Committed);
  const std::optional<std::int64_t> before = one->hints().start_timestamp;
  ASSERT_TRUE(before.has_value());
  one->begin();
  one->roll_back();
  EXPECT_GT(one->hints().start_timestamp, before);
  open("read-committed");
  one->begin();
  one->roll_back();
  EXPECT_EQ(one->hints().start_timestamp, std::nullopt);
}

TEST_P(Rocksdb, SnapshotIsolationAllowsWriteSkew) {
  open("snapshot-isolation");
  EXPECT_EQ(write_skew(), std::pair(kCommitted, kCommitted));
  one->begin();
  EXPECT_EQ(read(*one, 0), 1);
  EXPECT_EQ(read(*one, 1), 2);
  one->roll_back();
}

TEST_P(Rocksdb, SerializableReadsBeforeWritesAreSerial) {
  open("serializable");
  const auto [first, second] = write_skew();
  if (GetParam() == "optimistic") {
    EXPECT_EQ(first, kRefused) << "the second committed first, over what the first had read";
    EXPECT_EQ(second, kCommitted);
  } else {
    EXPECT_EQ(first, kCommitted) << "it held both locks";
    EXPECT_EQ(second, kCommitted) << "it waited for them";
  }
}

TEST_P(Rocksdb, SnapshotIsolationRefusesLostUpdates) {
  open("snapshot-isolation");
  one->begin();
  other->begin();
  EXPECT_EQ(read(*one, 0), 0);
  EXPECT_EQ(read(*other, 0), 0);
  write(*one, 0, 1);
  EXPECT_EQ(commit(*one), kCommitted);
  EXPECT_EQ(ending_of([&] {
              write(*other, 0, 2);
              return other->commit();
            }),
            kRefused);
  one->begin();
  EXPECT_EQ(read(*one, 0), 1);
  one->roll_back();
}

TEST_P(Rocksdb, ReadCommittedSeesWhatOthersCommit) {
  open("read-committed");
  one->begin();
  EXPECT_EQ(read(*one, 0), 0);
  other->begin();
  write(*other, 0, 5);
  EXPECT_EQ(read(*one, 0), 0) << "not before the commit";
  EXPECT_EQ(commit(*other), kCommitted);
  EXPECT_EQ(read(*one, 0), 5);
  EXPECT_EQ(commit(*one), kCommitted);
}

TEST_P(Rocksdb, SnapshotsDoNotMove) {
  open("snapshot-isolation");
  one->begin();
  other->begin();
  write(*other, 0, 5);
  EXPECT_EQ(commit(*other), kCommitted);
  EXPECT_EQ(read(*one, 0), 0);
  EXPECT_EQ(commit(*one), kCommitted);
}

TEST_P(Rocksdb, SerializableReadersDoNotSeeHalfOfATransaction) {
  open("serializable");
  Ending reader, writer;
  one->begin();
  EXPECT_EQ(read(*one, 0), 0);
  std::thread writing([&] {
    writer = ending_of([&] {
      other->begin();
      write(*other, 0, 1);
      write(*other, 1, 2);
      return other->commit();
    });
  });
  if (GetParam() == "optimistic") writing.join();
  const std::optional<std::int64_t> second = read(*one, 1);
  reader = commit(*one);
  if (writing.joinable()) writing.join();
  EXPECT_EQ(writer, kCommitted);
  if (GetParam() == "optimistic") {
    EXPECT_EQ(second, 2);
    EXPECT_EQ(reader, kRefused) << "a transaction that only reads is checked as well";
  } else {
    EXPECT_EQ(second, 0);
    EXPECT_EQ(reader, kCommitted);
  }
}

TEST_P(Rocksdb, ConcurrentUpdatesFormOneChainPerKey) {
  for (const char* isolation : {"serializable", "snapshot-isolation", "read-committed"}) {
    open(isolation);
    std::mutex mutex;
    std::set<std::pair<std::uint64_t, std::int64_t>>
        replaced;  // A key and the tag that an update found there.
    std::int64_t committed = 0;
    const auto work = [&](std::uint32_t session) {
      const auto client = database->connect(session);
      for (std::int64_t i = 1; i <= 200; ++i) {
        const std::uint64_t key = static_cast<std::uint64_t>(i) % 2;
        std::int64_t before = -1;
        const Ending ending = ending_of([&] {
          client->begin();
          before = client->perform({.kind = Request::Kind::Update, .key = key, .tag = session * 1000 + i})
                       .rows.front()
                       .tag;
          return client->commit();
        });
        if (ending != kCommitted) continue;
        const std::lock_guard lock(mutex);
        EXPECT_TRUE(replaced.emplace(key, before).second) << isolation << ": two updates replaced " << before;
        ++committed;
      }
    };
    std::vector<std::thread> threads;
    for (std::uint32_t session = 1; session <= 4; ++session) threads.emplace_back(work, session);
    for (std::thread& thread : threads) thread.join();
    EXPECT_GE(committed, 200) << isolation;
  }
}

TEST_P(Rocksdb, KeepsAFolderAndClearsAnEarlierRun) {
  std::string name = (std::filesystem::temp_directory_path() / "serval-test-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const std::string address = "rocksdb:" + name + "/db?kind=" + GetParam();
  for (int run = 0; run < 2; ++run) {
    const auto kept = open_rocksdb(address, {.isolation = "serializable"});
    kept->create(three_tables());
    const auto client = kept->connect(0);
    client->begin();
    EXPECT_EQ(read(*client, 0), 0) << "run " << run;
    write(*client, 0, 9);
    EXPECT_EQ(commit(*client), kCommitted);
    if (run == 1) kept->drop();
  }
  EXPECT_TRUE(std::filesystem::exists(name + "/db"));
  EXPECT_THROW(open_rocksdb("rocksdb:" + name + "/no/such/folder", {.isolation = "serializable"}),
               DatabaseError);
  std::filesystem::remove_all(name);
}

TEST_P(Rocksdb, DropRemovesTemporaryFolders) {
  const auto folders = [] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
      count += entry.path().filename().string().starts_with("serval-rocksdb-") ? 1u : 0u;
    return count;
  };
  const std::string own = testing::TempDir() + "serval-rocksdb-drop-" + GetParam();
  std::filesystem::create_directories(own);
  setenv("TMPDIR", own.c_str(), 1);
  open("serializable");
  EXPECT_EQ(folders(), 1u);
  one.reset();
  other.reset();
  database->drop();
  EXPECT_EQ(folders(), 0u);
  unsetenv("TMPDIR");
  std::filesystem::remove_all(own);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Rocksdb, testing::Values("pessimistic", "optimistic"),
                         [](const auto& kind) { return kind.param; });

TEST(RocksdbLocks, DeadlocksHaveAVictim) {
  const auto database = open_rocksdb("rocksdb:", {.isolation = "serializable"});
  database->create(three_tables());
  const auto one = database->connect(0), other = database->connect(1);
  one->begin();
  other->begin();
  write(*one, 0, 1);
  write(*other, 1, 2);
  Ending second;
  std::thread waiting([&] {
    second = ending_of([&] {
      write(*other, 0, 3);
      return other->commit();
    });
  });
  const Ending first = ending_of([&] {
    write(*one, 1, 4);
    return one->commit();
  });
  waiting.join();
  const Ending victim{Outcome::Aborted, FailureCause::Deadlock};
  EXPECT_TRUE((first == victim && second == kCommitted) || (first == kCommitted && second == victim));
}

TEST(RocksdbLocks, ALockThatIsNeverReleasedTimesOut) {
  const auto database = open_rocksdb("rocksdb:", {.isolation = "serializable"});
  database->create(three_tables());
  const auto one = database->connect(0), other = database->connect(1);
  one->begin();
  write(*one, 0, 1);
  other->begin();
  EXPECT_EQ(ending_of([&] {
              read(*other, 0);
              return other->commit();
            }),
            (Ending{Outcome::Aborted, FailureCause::LockTimeout}));
}

TEST(RocksdbAddress, WrongOptionsAreAnsweredWithTheRightOnes) {
  for (const char* address : {"rocksdb:?kind=hopeful", "rocksdb:?knid=optimistic", "rocksdb:?kind"})
    EXPECT_THROW(open_rocksdb(address, {}), InputError) << address;
  EXPECT_EQ(open_rocksdb("rocksdb:", {.isolation = "read-committed"})->facts()["kind"], "pessimistic");
}

}  // namespace
}  // namespace serval

#endif
