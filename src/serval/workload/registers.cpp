#include "serval/workload/registers.h"

#include <utility>

#include "serval/workload/register_table.h"

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;

class Registers final : public Generator {
 public:
  Registers(const Parameters& parameters, KeyChoice keys)
      : most_operations_(parameters.whole("operations")),
        reads_(parameters["reads"]),
        keys_(std::move(keys)) {}

  Schema schema() const override { return register_table(keys_.keys()); }

  TransactionPlan next(Random& random, std::uint32_t) override {
    TransactionPlan plan;
    const std::uint64_t count = 1 + random.below(most_operations_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Kind kind = random.chance(reads_) ? Kind::Read : Kind::Write;
      plan.operations.push_back({kind, keys_.choose(random)});
    }
    return plan;
  }

 private:
  std::size_t most_operations_;
  double reads_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo registers_workload() {
  return {.name = "registers",
          .description = "reads and blind writes, freely mixed",
          .parameters = {{"operations", "largest number of operations per transaction", 4, 1, 1000},
                         {"reads", "share of the operations that read", 0.5, 0, 1, kReal}},
          .make = make_generator<Registers>,
          .keys = 100,
          .aliases = {"rw-register"}};
}

}  // namespace serval
