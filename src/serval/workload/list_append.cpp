#include "serval/workload/list_append.h"

#include <utility>
#include <vector>

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;

class ListAppend final : public Generator {
 public:
  ListAppend(const Parameters& parameters, KeyChoice keys)
      : most_operations_(parameters.whole("operations")),
        reads_(parameters["reads"]),
        most_appends_(parameters.whole("appends-per-key")),
        appends_(keys.keys(), 0),
        keys_(std::move(keys)) {}

  TransactionPlan next(Random& random, std::uint32_t) override {
    TransactionPlan plan;
    const std::uint64_t count = 1 + random.below(most_operations_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t place = keys_.choose(random);
      const Kind kind = random.chance(reads_) ? Kind::ReadList : Kind::Append;
      const std::uint64_t turn = kind == Kind::Append ? appends_[place]++ : appends_[place];
      plan.operations.push_back({kind, place + (turn / most_appends_) * keys_.keys()});
    }
    return plan;
  }

 private:
  std::size_t most_operations_;
  double reads_;
  std::size_t most_appends_;
  std::vector<std::uint64_t> appends_;  // At each place, over all keys that had it.
  KeyChoice keys_;
};

}  // namespace

std::unique_ptr<Generator> make_list_append(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<ListAppend>(parameters, std::move(keys));
}

}  // namespace serval
