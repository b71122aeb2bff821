#include "serval/workload/general.h"

#include <utility>

#include "serval/workload/register_table.h"

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;

class General final : public Generator {
 public:
  General(const Parameters& parameters, KeyChoice keys)
      : operations_(parameters.whole("operations")),
        read_only_(parameters["read-only"]),
        write_only_(parameters["write-only"]),
        keys_(std::move(keys)) {}

  Schema schema() const override { return register_table(keys_.keys()); }

  TransactionPlan next(Random& random, std::uint32_t) override {
    const double draw = random.unit();
    if (draw < read_only_) return all_of(Kind::Read, random);
    if (draw < read_only_ + write_only_) return all_of(Kind::Write, random);
    return all_of(Kind::ReadModifyWrite, random);
  }

 private:
  // A read-modify-write is two operations.
  TransactionPlan all_of(Kind kind, Random& random) const {
    const std::size_t count = kind == Kind::ReadModifyWrite ? (operations_ + 1) / 2 : operations_;
    TransactionPlan plan;
    plan.operations.reserve(count);
    for (std::size_t i = 0; i < count; ++i) plan.operations.push_back({kind, keys_.choose(random)});
    return plan;
  }

  std::size_t operations_;
  double read_only_, write_only_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo general_workload() {
  return {.name = "general",
          .description = "read-only, write-only and read-modify-write transactions of fixed length",
          .parameters = {{"operations", "operations per transaction", 8, 1, 1000},
                         {"read-only", "share of transactions that only read", 0.2, 0, 1, kReal},
                         {"write-only", "share of transactions that only write", 0.4, 0, 1, kReal}},
          .make = make_generator<General>};
}

}  // namespace serval
