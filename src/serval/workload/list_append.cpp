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
        places_(keys.keys()),
        keys_(std::move(keys)) {
    for (Place& place : places_) place.key = fresh_key_++;
  }

  Schema schema() const override { return {{.name = "lists", .holds = TableInfo::Holds::Lists}}; }

  TransactionPlan next(Random& random, std::uint32_t) override {
    TransactionPlan plan;
    const std::uint64_t count = 1 + random.below(most_operations_);
    for (std::uint64_t i = 0; i < count; ++i) {
      Place& place = places_[keys_.choose(random)];
      const Kind kind = random.chance(reads_) ? Kind::ReadList : Kind::Append;
      plan.operations.push_back({kind, place.key});
      if (kind == Kind::Append && ++place.appends == most_appends_) place = {fresh_key_++, 0};
    }
    return plan;
  }

 private:
  struct Place {
    std::uint64_t key = 0, appends = 0;
  };

  std::size_t most_operations_;
  double reads_;
  std::size_t most_appends_;
  std::vector<Place> places_;  // The current key of each place that the key distribution chooses from.
  std::uint64_t fresh_key_ = 0;
  KeyChoice keys_;
};

std::unique_ptr<Generator> make_list_append(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<ListAppend>(parameters, std::move(keys));
}

}  // namespace

WorkloadInfo list_append_workload() {
  return {.name = "list-append",
          .description = "appends to lists and reads of whole lists; fresh keys replace old ones",
          .parameters = {{"operations", "largest number of operations per transaction", 4, 1, 1000},
                         {"reads", "share of the operations that read", 0.5, 0, 1, kReal},
                         {"appends-per-key", "appends before a key is replaced", 32, 1, 1'000'000}},
          .make = make_list_append,
          .data = WorkloadInfo::Data::Lists,
          .keys = 30};
}

}  // namespace serval
