#include "serval/workload/operation_mix.h"

#include <algorithm>
#include <utility>

#include "serval/workload/register_table.h"

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;

class OperationMix final : public Generator {
 public:
  OperationMix(const Parameters& parameters, KeyChoice keys)
      : operations_(parameters.whole("operations")),
        reads_(parameters["reads"]),
        writes_(parameters["writes"]),
        keys_(std::move(keys)) {}

  Schema schema() const override { return register_table(keys_.keys()); }

  TransactionPlan next(Random& random, std::uint32_t) override {
    TransactionPlan plan;
    const std::size_t count = std::min<std::uint64_t>(operations_, keys_.keys());
    std::size_t draws_left = 100 * count;  // If few keys are ever chosen, transactions are shorter.
    while (plan.operations.size() < count && draws_left-- > 0) {
      const std::uint64_t key = keys_.choose(random);
      const auto is_used = [&](const PlannedOperation& operation) { return operation.key == key; };
      if (!std::ranges::any_of(plan.operations, is_used)) plan.operations.push_back({kind(random), key});
    }
    return plan;
  }

 private:
  Kind kind(Random& random) const {
    const double draw = random.unit();
    if (draw < reads_) return Kind::Read;
    return draw < reads_ + writes_ ? Kind::Write : Kind::ReadModifyWrite;
  }

  std::size_t operations_;
  double reads_, writes_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo operation_mix_workload() {
  return {.name = "operation-mix",
          .description = "operations that read, write or do both, each on a different key",
          .parameters = {{"operations", "operations per transaction", 8, 1, 1000},
                         {"reads", "share of the operations that only read", 0.5, 0, 1, kReal},
                         {"writes", "share that only write; the rest do both", 0.35, 0, 1, kReal}},
          .make = make_generator<OperationMix>,
          .keys = 1000};
}

}  // namespace serval
