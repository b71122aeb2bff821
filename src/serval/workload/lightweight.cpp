#include "serval/workload/lightweight.h"

#include <utility>
#include <vector>

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;

class Lightweight final : public Generator {
 public:
  Lightweight(const Parameters& parameters, KeyChoice keys)
      : inserts_(parameters["inserts"]),
        reads_(parameters["reads"]),
        touched_(keys.keys(), false),
        keys_(std::move(keys)) {}

  Schema schema() const override {
    return {{.name = "rows", .initial = TableInfo::Initial::Absent, .rows = keys_.keys()}};
  }

  TransactionPlan next(Random& random, std::uint32_t) override {
    const std::uint64_t key = keys_.choose(random);
    return TransactionPlan{.operations = {{choose_kind(key, random), key}}};
  }

 private:
  // The first operation on a key inserts it; some later ones try again and fail.
  Kind choose_kind(std::uint64_t key, Random& random) {
    const double draw = random.unit();
    const bool first = !touched_[key];
    touched_[key] = true;
    if (first || draw < inserts_) return Kind::Insert;
    return draw < inserts_ + reads_ ? Kind::Read : Kind::CompareAndSet;
  }

  double inserts_, reads_;
  std::vector<bool> touched_;
  KeyChoice keys_;
};

}  // namespace

WorkloadInfo lightweight_workload() {
  return {.name = "lightweight",
          .description = "single insert-if-absent, compare-and-set and read operations",
          .parameters = {{"inserts", "share of later operations that insert again", 0.05, 0, 1, kReal},
                         {"reads", "share of the operations that read", 0.25, 0, 1, kReal}},
          .make = make_generator<Lightweight>,
          .data = WorkloadInfo::Data::Rows,
          .keys = 100};
}

}  // namespace serval
