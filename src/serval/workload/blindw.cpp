#include "serval/workload/blindw.h"

#include <algorithm>

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/register_table.h"

namespace serval {
namespace {

constexpr std::uint32_t kRegisters = 0;

class BlindW : public Generator {
 public:
  BlindW(std::size_t operations, double reads, KeyChoice keys)
      : operations_(operations), reads_(reads), keys_(std::move(keys)) {}

  Schema schema() const override { return register_table(keys_.keys()); }

  TransactionPlan next(Random& random, std::uint32_t) override {
    using Kind = PlannedOperation::Kind;
    const Kind kind = random.chance(reads_) ? Kind::Read : Kind::Write;
    TransactionPlan plan;
    for (std::size_t i = 0; i < operations_; ++i) plan.operations.push_back({kind, keys_.choose(random)});
    return plan;
  }

 protected:
  const KeyChoice& keys() const { return keys_; }

 private:
  std::size_t operations_;
  double reads_;
  KeyChoice keys_;
};

class BlindWWithRanges final : public BlindW {
 public:
  BlindWWithRanges(const Parameters& parameters, KeyChoice key_choice)
      : BlindW(parameters.whole("operations"), parameters["reads"], std::move(key_choice)),
        ranges_(parameters["ranges"]),
        width_(parameters.whole("width")) {}

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t session, KnownTags&) override {
    std::vector<Request> requests;
    for (const PlannedOperation& operation : next(random, session).operations) {
      if (operation.kind == PlannedOperation::Kind::Write)
        requests.push_back(ask::write(kRegisters, operation.key));
      else if (random.chance(ranges_))
        requests.push_back(range_at(operation.key));
      else
        requests.push_back(ask::read(kRegisters, operation.key));
    }
    return script_of(std::move(requests));
  }

 private:
  Request range_at(std::uint64_t key) const {
    const std::uint64_t width = std::min<std::uint64_t>(width_, keys().keys());
    const std::uint64_t low = std::min(key, keys().keys() - width);
    return ask::scan(kRegisters, ask::keys(low, low + width - 1));
  }

  double ranges_;
  std::size_t width_;
};

constexpr ParameterInfo kOperations{"operations", "operations per transaction", 8, 1, 1000};
constexpr ParameterInfo kReads{"reads", "share of transactions that only read", 0.5, 0, 1, kReal};
constexpr std::uint64_t kKeys = 2000;

std::unique_ptr<Generator> make_writes(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<BlindW>(parameters.whole("operations"), 0.0, std::move(keys));
}
std::unique_ptr<Generator> make_mixed(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<BlindW>(parameters.whole("operations"), parameters["reads"], std::move(keys));
}
}  // namespace

WorkloadInfo blindw_w_workload() {
  return {.name = "blindw-w",
          .description = "BlindW-W: transactions that only write, blindly",
          .parameters = {kOperations},
          .make = make_writes,
          .keys = kKeys};
}

WorkloadInfo blindw_rw_workload() {
  return {.name = "blindw-rw",
          .description = "BlindW-RW: transactions that only read or only write, blindly",
          .parameters = {kOperations, kReads},
          .make = make_mixed,
          .keys = kKeys};
}

WorkloadInfo blindw_rw_plus_workload() {
  return {.name = "blindw-rw+",
          .description = "BlindW-RW+: like blindw-rw, with half of the reads over ten adjacent keys",
          .parameters = {kOperations,
                         kReads,
                         {"ranges", "share of reads over a range", 0.5, 0, 1, kReal},
                         {"width", "number of keys in a range", 10, 1, 1000}},
          .make = make_generator<BlindWWithRanges>,
          .form = WorkloadInfo::Form::Scripts,
          .needs_ranges = true,
          .keys = kKeys};
}

}  // namespace serval
