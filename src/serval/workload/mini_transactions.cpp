#include "serval/workload/mini_transactions.h"

#include <array>
#include <string_view>
#include <utility>

#include "serval/workload/register_table.h"

namespace serval {
namespace {

// "R1 W2": letters and key places, in MTC's own notation.
constexpr std::array<std::string_view, 9> kShapes = {"R1",     "R1R2",     "R1W1",     "R1R2W2",  "R2R1W2",
                                                     "R2W2R1", "R1R2W1W2", "R1R2W2W1", "R1W1R2W2"};
constexpr std::array<std::string_view, 5> kSameKeyShapes = {"R1R1", "R1R1W1", "R1W1R1", "R1R1W1W1",
                                                            "R1W1R1W1"};

class MiniTransactions final : public Generator {
 public:
  MiniTransactions(double same_key_share, KeyChoice keys)
      : same_key_share_(same_key_share), keys_(std::move(keys)) {}

  Schema schema() const override { return register_table(keys_.keys()); }

  TransactionPlan next(Random& random, std::uint32_t) override {
    const std::string_view shape = choose_shape(random);
    const std::uint64_t first = keys_.choose(random);
    const bool needs_second = shape.find('2') != std::string_view::npos;
    const std::uint64_t second = needs_second ? keys_.choose_other_than(first, random) : first;
    TransactionPlan plan;
    plan.operations.reserve(shape.size() / 2);
    for (std::size_t i = 0; i < shape.size(); i += 2)
      plan.operations.push_back(
          {shape[i] == 'R' ? PlannedOperation::Kind::Read : PlannedOperation::Kind::Write,
           shape[i + 1] == '1' ? first : second});
    return plan;
  }

 private:
  std::string_view choose_shape(Random& random) const {
    if (random.chance(same_key_share_)) return kSameKeyShapes[random.below(kSameKeyShapes.size())];
    return kShapes[random.below(kShapes.size())];
  }

  double same_key_share_;
  KeyChoice keys_;
};

std::unique_ptr<Generator> make_mini_transactions(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<MiniTransactions>(parameters["same-key"], std::move(keys));
}

}  // namespace

WorkloadInfo mini_transactions_workload() {
  return {.name = "mini",
          .description = "mini-transactions: one or two keys, every write after a read of its key",
          .parameters = {{"same-key", "share of the shapes that touch one key twice or more", 0.25, 0, 1,
                          ParameterInfo::Number::Real}},
          .make = make_mini_transactions,
          .keys = 100};
}

}  // namespace serval
