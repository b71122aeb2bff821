#include "serval/workload/registers.h"

#include <utility>

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;

class Registers final : public Generator {
 public:
  Registers(const Parameters& parameters, KeyChoice keys)
      : most_operations_(parameters.whole("operations")),
        reads_(parameters["reads"]),
        keys_(std::move(keys)) {}

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

std::unique_ptr<Generator> make_registers(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<Registers>(parameters, std::move(keys));
}

}  // namespace serval
