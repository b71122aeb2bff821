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

  TransactionPlan next(Random& random, std::uint32_t) override {
    const std::uint64_t key = keys_.choose(random);
    return TransactionPlan{.operations = {{choose_kind(key, random), key}}};
  }

 private:
  // The first operation of a key inserts it; some later ones try again and are refused.
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

std::unique_ptr<Generator> make_lightweight(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<Lightweight>(parameters, std::move(keys));
}

}  // namespace serval
