// Transfers between accounts must preserve the sum of all balances, and every read of all accounts must
// show this sum, as snapshot isolation guarantees for a read of several keys. After Jepsen's bank
// workload.

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/model/checkers.h"
#include "serval/model/findings.h"

namespace serval {
namespace {

class Bank {
 public:
  Bank(const ClientHistory& history, const ModelOptions& options)
      : history_(history), options_(options), findings_(options) {}

  ModelResult check() && {
    for (std::uint32_t i = 0; i < history_.operations().size(); ++i)
      if (is_read(history_.operations()[i])) reads_.push_back(i);
    findings_.fact("reads", reads_.size());
    if (reads_.empty()) return std::move(findings_).finish("no read succeeded, so there is nothing to judge");
    std::ranges::sort(reads_, {}, [&](std::uint32_t i) { return history_.operations()[i].ended; });
    learn(history_.operations()[reads_.front()]);
    for (const std::uint32_t i : reads_) judge(i, history_.operations()[i]);
    return std::move(findings_).finish({});
  }

 private:
  bool is_read(const ClientOperation& operation) const {
    if (options_.budget != nullptr) options_.budget->poll("bank");
    if (!operation.ok() || history_.function(operation) != "read") return false;
    if (!is_map(*operation.result))
      throw history_.error(operation, "expected a map of accounts to balances, {0 10, 1 20}");
    return true;
  }

  // The first successful read determines the accounts and, unless given as an option, their total.
  void learn(const ClientOperation& operation) {
    total_ = options_.total_amount.value_or(0);
    for (const auto& [account, balance] : entries(*operation.result)) {
      accounts_.insert(history_.value(account));
      if (!options_.total_amount && !balance.is_nil()) add(total_, operation, balance);
    }
    findings_.fact("accounts", accounts_.size());
    findings_.fact("total", std::to_string(total_));
  }

  void add(std::int64_t& sum, const ClientOperation& operation, const FormValue& balance) const {
    const std::optional<std::int64_t> amount = integer_in(balance);
    if (!amount) throw history_.error(operation, "expected a balance that is an integer");
    if (__builtin_add_overflow(sum, *amount, &sum))
      throw history_.error(operation, "the sum of these balances exceeds 64 bits");
  }

  // At most one finding per read, the most severe.
  void judge(std::uint32_t i, const ClientOperation& operation) {
    std::int64_t sum = 0;
    const FormValue *unexpected = nullptr, *unknown = nullptr, *negative = nullptr;
    for (const auto& [account, balance] : entries(*operation.result)) {
      if (!accounts_.contains(history_.value(account))) unexpected = &account;
      if (balance.is_nil()) {
        unknown = &account;
        continue;
      }
      add(sum, operation, balance);
      if (*integer_in(balance) < 0) negative = &account;
    }
    if (unexpected != nullptr)
      report("unexpected-key", i, *unexpected, "an account that is not in the first read");
    else if (unknown != nullptr)
      report("nil-balance", i, *unknown, "no balance");
    else if (sum != total_)
      findings_.add("wrong-total", {i}, {},
                    [&] { return fmt::format("the balances add up to {}, not {}", sum, total_); });
    else if (negative != nullptr && options_.negative_balances == NegativeBalances::Forbidden)
      report("negative-value", i, *negative, "a negative balance");
  }

  void report(std::string_view kind, std::uint32_t i, const FormValue& account, std::string_view what) {
    findings_.add(kind, {i}, history_.value(account),
                  [&] { return fmt::format("account {}: {}", history_.format(account), what); });
  }

  const ClientHistory& history_;
  const ModelOptions& options_;
  Findings findings_;
  absl::flat_hash_set<Value> accounts_;
  std::int64_t total_ = 0;
  std::vector<std::uint32_t> reads_;  // Successful reads, by end.
};

}  // namespace

ModelResult check_bank(const ClientHistory& history, const ModelOptions& options) {
  return Bank(history, options).check();
}

}  // namespace serval
