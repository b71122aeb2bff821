#include "serval/database/invariant_watch.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "serval/workload/workload.h"

namespace serval {
namespace {

// Accounts whose sum is wrong while `broken` is set.
class Accounts final : public Database {
 public:
  struct Setting {
    bool has_observers = true;
    std::uint32_t lost_observers = 0;  // The number of failing attempts.
    Outcome outcome = Outcome::Committed;
  };
  explicit Accounts(Setting setting) : setting_(setting) {}

  std::map<std::string, std::string> facts() override { return {}; }
  void create(const Schema&) override {}
  void drop() override {}
  std::unique_ptr<Client> connect(std::uint32_t) override { return std::make_unique<Reader>(*this); }
  std::unique_ptr<Client> connect_observer(std::uint32_t attempt) override {
    if (!setting_.has_observers) return nullptr;
    if (attempt < setting_.lost_observers) throw DatabaseError("no node here");
    return connect(0);
  }

  std::atomic<bool> broken = false;
  std::atomic<std::uint64_t> commits = 0;

 private:
  class Reader final : public Client {
   public:
    explicit Reader(Accounts& accounts) : accounts_(accounts) {}
    void begin() override { broken_ = accounts_.broken; }
    Answer perform(const Request& request) override {
      return {.rows = {{.key = request.key, .columns = {broken_ ? 11 : 10}}}};
    }
    Outcome commit() override {
      ++accounts_.commits;
      return accounts_.setting_.outcome;
    }
    void roll_back() override {}

   private:
    Accounts& accounts_;
    bool broken_ = false;
  };

  Setting setting_;
};

const Workload& bank() {
  static const Workload workload = make_workload("bank", KeyRequest{});
  return workload;
}

void await_commits(const Accounts& accounts, std::uint64_t more) {
  const std::uint64_t before = accounts.commits;
  while (accounts.commits < before + more) std::this_thread::yield();
}

TEST(InvariantWatch, SeesWhatIsRepairedBeforeTheEnd) {
  Accounts accounts({});
  InvariantWatch watch(accounts, *bank().generator);
  accounts.broken = true;
  await_commits(accounts, 2);
  accounts.broken = false;
  watch.look_at_the_end();
  const InvariantFindings found = watch.findings();
  EXPECT_EQ(found.broken, std::vector<std::string>{"the balances sum to 88, not 80"});
  EXPECT_EQ(found.broken_in_all, 1u);  // However often it is seen.
  EXPECT_GE(found.looks, 2u);
}

TEST(InvariantWatch, MovesToAnotherNode) {
  Accounts accounts({.lost_observers = 2});
  InvariantWatch watch(accounts, *bank().generator);
  await_commits(accounts, 1);
  watch.stop();
  EXPECT_TRUE(watch.findings().broken.empty());
}

TEST(InvariantWatch, ChecksOnlyAtTheEndWithoutObservers) {
  Accounts accounts({.has_observers = false});
  InvariantWatch watch(accounts, *bank().generator);
  accounts.broken = true;
  watch.look_at_the_end();
  EXPECT_EQ(watch.findings().looks, 1u);
  EXPECT_EQ(watch.findings().broken_in_all, 1u);
}

TEST(InvariantWatch, IgnoresTransactionsThatDidNotCommit) {
  Accounts accounts({.outcome = Outcome::Aborted});
  accounts.broken = true;
  InvariantWatch watch(accounts, *bank().generator);
  await_commits(accounts, 1);
  watch.stop();
  EXPECT_EQ(watch.findings().broken_in_all, 0u);
}

}  // namespace
}  // namespace serval
