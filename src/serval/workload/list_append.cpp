#include "serval/workload/list_append.h"

#include <utility>

#include "serval/workload/retiring_keys.h"

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;

class ListAppend final : public Generator {
 public:
  ListAppend(const Parameters& parameters, KeyChoice keys)
      : most_operations_(parameters.whole("operations")),
        reads_(parameters["reads"]),
        lists_(keys.keys(), parameters.whole("appends-per-key")),
        keys_(std::move(keys)) {}

  Schema schema() const override { return {{.name = "lists", .holds = TableInfo::Holds::Lists}}; }

  TransactionPlan next(Random& random, std::uint32_t) override {
    TransactionPlan plan;
    const std::uint64_t count = 1 + random.below(most_operations_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t place = keys_.choose(random);
      const Kind kind = random.chance(reads_) ? Kind::ReadList : Kind::Append;
      plan.operations.push_back({kind, lists_.at(place)});
      if (kind == Kind::Append) lists_.use(place);
    }
    return plan;
  }

 private:
  std::size_t most_operations_;
  double reads_;
  RetiringKeys lists_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo list_append_workload() {
  return {.name = "list-append",
          .description = "appends to lists and reads of whole lists; fresh keys replace old ones",
          .parameters = {{"operations", "largest number of operations per transaction", 4, 1, 1000},
                         {"reads", "share of the operations that read", 0.5, 0, 1, kReal},
                         {"appends-per-key", "appends before a key is replaced", 32, 1, 1'000'000}},
          .make = make_generator<ListAppend>,
          .data = WorkloadInfo::Data::Lists,
          .keys = 30};
}

}  // namespace serval
