// Jepsen's bank: transfers of 1 to 5 between accounts, and reads of all accounts. Transfers keep the
// total, so every read of all accounts and the final state must show the same total.

#include <algorithm>

#include <fmt/format.h>

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

constexpr std::uint32_t kAccounts = 0;

struct Transfer {
  std::uint64_t from = 0, to = 0;
  std::int64_t amount = 0;
};

Dialogue read_all(std::uint64_t accounts) {
  for (std::uint64_t account = 0; account < accounts; ++account) co_await ask::read(kAccounts, account);
  co_return Ending::Commit;
}

// A transfer that would make a balance negative writes nothing, as in Jepsen; its reads count. Writes are
// in key order, so that transfers do not deadlock: PostgreSQL takes a second to detect a deadlock.
Dialogue move_money(Transfer transfer) {
  const Answer from = co_await ask::read(kAccounts, transfer.from);
  const Answer to = co_await ask::read(kAccounts, transfer.to);
  if (from.rows.empty() || to.rows.empty()) co_return Ending::Commit;
  const std::int64_t left = from.rows.front().columns[0] - transfer.amount;
  const std::int64_t sum = to.rows.front().columns[0] + transfer.amount;
  if (left < 0) co_return Ending::Commit;
  const bool upwards = transfer.from < transfer.to;
  co_await ask::write(kAccounts, std::min(transfer.from, transfer.to), ask::columns(upwards ? left : sum));
  co_await ask::write(kAccounts, std::max(transfer.from, transfer.to), ask::columns(upwards ? sum : left));
  co_return Ending::Commit;
}

class Bank final : public Generator {
 public:
  Bank(const Parameters& parameters, KeyChoice keys)
      : reads_(parameters["reads"]),
        balance_(static_cast<std::int64_t>(parameters.whole("balance"))),
        most_(parameters.whole("most")),
        keys_(std::move(keys)) {}

  Schema schema() const override {
    return {{.name = "accounts",
             .initial = TableInfo::Initial::Zero,
             .rows = keys_.keys(),
             .columns = {{.name = "balance", .initial = balance_}}}};
  }

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t, KnownTags&) override {
    if (random.chance(reads_) || keys_.keys() < 2) return script_of(read_all(keys_.keys()));
    Transfer transfer;
    transfer.from = keys_.choose(random);
    transfer.to = keys_.choose_other_than(transfer.from, random);
    transfer.amount = static_cast<std::int64_t>(1 + random.below(most_));
    return script_of(move_money(transfer));
  }

  std::vector<std::string> broken_invariants(FinalState& state) const override {
    std::vector<std::string> broken;
    const std::vector<Answer::Row> rows = state.first_rows(kAccounts, keys_.keys());
    if (rows.size() != keys_.keys())
      broken.push_back(fmt::format("{} of {} accounts exist", rows.size(), keys_.keys()));
    const std::int64_t expected = balance_ * static_cast<std::int64_t>(keys_.keys());
    std::int64_t total = 0;
    for (const Answer::Row& row : rows) {
      total += row.columns[0];
      if (row.columns[0] < 0)
        broken.push_back(fmt::format("account {} has a balance of {}", row.key, row.columns[0]));
    }
    if (total != expected) broken.push_back(fmt::format("the balances sum to {}, not {}", total, expected));
    return broken;
  }

 private:
  double reads_;
  std::int64_t balance_;
  std::uint64_t most_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo bank_workload() {
  return {.name = "bank",
          .description = "transfers between accounts and reads of all accounts; the total must not change",
          .parameters = {{"reads", "share of transactions that read all accounts", 0.5, 0, 1, kReal},
                         {"balance", "initial balance of every account", 10, 0, 1'000'000},
                         {"most", "largest amount of a transfer", 5, 1, 1'000'000}},
          .make = make_generator<Bank>,
          .data = WorkloadInfo::Data::Rows,
          .form = WorkloadInfo::Form::Scripts,
          .keys = 8,
          .invariant = "the balances sum to what they began with, and none is negative",
          .kept_at = {"cursor-stability", "parallel-snapshot-isolation"}};
}

}  // namespace serval
