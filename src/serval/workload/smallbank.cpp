// SmallBank (Alomari, Cahill, Fekete & Roehm, ICDE 2008): customers with a savings and a checking
// account, six small transactions. Balance, WriteCheck and TransactSavings together permit write skew
// under snapshot isolation.

#include <array>

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

constexpr std::uint32_t kSavings = 0, kChecking = 1;

struct Payment {
  std::uint64_t customer = 0, other = 0;
  std::int64_t amount = 0;
};

std::int64_t balance_in(const Answer& answer) {
  return answer.rows.empty() ? 0 : answer.rows.front().columns[0];
}

Dialogue balance(Payment payment) {
  co_await ask::read(kSavings, payment.customer);
  co_await ask::read(kChecking, payment.customer);
  co_return Ending::Commit;
}

Dialogue deposit_checking(Payment payment) {
  const Answer checking = co_await ask::read(kChecking, payment.customer);
  co_await ask::write(kChecking, payment.customer, ask::columns(balance_in(checking) + payment.amount));
  co_return Ending::Commit;
}

// Deposits and withdrawals; savings never become negative.
Dialogue transact_savings(Payment payment) {
  const Answer savings = co_await ask::read(kSavings, payment.customer);
  const std::int64_t left = balance_in(savings) + payment.amount;
  if (left < 0) co_return Ending::Abort;
  co_await ask::write(kSavings, payment.customer, ask::columns(left));
  co_return Ending::Commit;
}

// All money of one customer goes to the checking account of another.
Dialogue amalgamate(Payment payment) {
  const Answer savings = co_await ask::read(kSavings, payment.customer);
  const Answer checking = co_await ask::read(kChecking, payment.customer);
  const Answer other = co_await ask::read(kChecking, payment.other);
  co_await ask::write(kSavings, payment.customer, ask::columns(0));
  co_await ask::write(kChecking, payment.customer, ask::columns(0));
  const std::int64_t sum = balance_in(savings) + balance_in(checking) + balance_in(other);
  co_await ask::write(kChecking, payment.other, ask::columns(sum));
  co_return Ending::Commit;
}

Dialogue send_payment(Payment payment) {
  const Answer from = co_await ask::read(kChecking, payment.customer);
  if (balance_in(from) < payment.amount) co_return Ending::Abort;
  const Answer to = co_await ask::read(kChecking, payment.other);
  co_await ask::write(kChecking, payment.customer, ask::columns(balance_in(from) - payment.amount));
  co_await ask::write(kChecking, payment.other, ask::columns(balance_in(to) + payment.amount));
  co_return Ending::Commit;
}

// An overdraft costs a penalty of 1: the decision reads savings, the write goes to checking.
Dialogue write_check(Payment payment) {
  const Answer savings = co_await ask::read(kSavings, payment.customer);
  const Answer checking = co_await ask::read(kChecking, payment.customer);
  const bool covered = balance_in(savings) + balance_in(checking) >= payment.amount;
  const std::int64_t cost = covered ? payment.amount : payment.amount + 1;
  co_await ask::write(kChecking, payment.customer, ask::columns(balance_in(checking) - cost));
  co_return Ending::Commit;
}

// H-Store's and BenchBase's mix, in percent.
struct Share {
  std::uint64_t percent;
  Dialogue (*play)(Payment payment);
};
constexpr std::array<Share, 6> kMix = {{{15, amalgamate},
                                        {15, balance},
                                        {15, deposit_checking},
                                        {25, send_payment},
                                        {15, transact_savings},
                                        {15, write_check}}};

class SmallBank final : public Generator {
 public:
  SmallBank(const Parameters& parameters, KeyChoice keys)
      : balance_(static_cast<std::int64_t>(parameters.whole("balance"))),
        most_(parameters.whole("most")),
        keys_(std::move(keys)) {}

  Schema schema() const override {
    Schema tables;
    for (const char* name : {"savings", "checking"})
      tables.push_back({.name = name,
                        .initial = TableInfo::Initial::Zero,
                        .rows = keys_.keys(),
                        .columns = {{.name = "balance", .initial = balance_}}});
    return tables;
  }

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t, KnownTags&) override {
    Payment payment;
    payment.customer = keys_.choose(random);
    payment.other = keys_.choose_other_than(payment.customer, random);
    payment.amount = static_cast<std::int64_t>(1 + random.below(most_));
    std::uint64_t draw = random.below(100);
    for (const Share& share : kMix) {
      if (draw < share.percent) return script_of(share.play(payment_for(share, payment, random)));
      draw -= share.percent;
    }
    return script_of(balance(payment));
  }

 private:
  // Amounts may be negative.
  static Payment payment_for(const Share& share, Payment payment, Random& random) {
    if (share.play == transact_savings && random.chance(0.5)) payment.amount = -payment.amount;
    return payment;
  }

  std::int64_t balance_;
  std::uint64_t most_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo smallbank_workload() {
  return {.name = "smallbank",
          .description = "savings and checking accounts, six transactions, a hot tenth of the customers",
          .parameters = {{"balance", "initial balance of every account", 10'000, 0, 1'000'000'000},
                         {"most", "largest amount that a transaction moves", 100, 1, 1'000'000}},
          .make = make_generator<SmallBank>,
          .data = WorkloadInfo::Data::Rows,
          .form = WorkloadInfo::Form::Scripts,
          .keys = 1000,
          .distribution = "hotspot:keys=0.1,operations=0.9"};
}

}  // namespace serval
