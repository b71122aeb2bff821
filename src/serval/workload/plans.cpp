// Workloads whose transactions are plans, each drawn from a key distribution.
//
//   mini           Mini-transactions (MTC, Definition 8): one or two reads, at most two writes, every write
//                  after a read of its key. All twenty shapes; those that read or write a key twice can be
//                  left out.
//   general        The general transactions of Cobra, PolySI and MTC: one fifth only read, two fifths only
//                  write (blindly), two fifths read and then write each of their keys. A fixed number of
//                  operations per transaction.
//   registers      Elle's rw-register: a few operations per transaction, a random mix of reads and blind
//                  writes.
//   operation-mix  A fixed number of operations on different keys. Each independently reads, writes or does
//                  both: the workloads of King Cobra (section 8.4).
//   list-append    Elle's list-append: a few reads of whole lists and appends per transaction. After a number
//                  of appends a key is replaced by a fresh one, so lists stay short.
//   lightweight    Lightweight transactions (MTC, sections IV-E and V-A): one operation each; every key is
//                  inserted if absent, then read and changed by compare-and-set, by as many sessions at a
//                  time as asked.
//   blindw         BlindW of Cobra (Tan et al., OSDI 2020) and its variants in Leopard (section VI):
//                  transactions of eight operations that either all read or all write blindly. blindw-w only
//                  writes: the hardest case for the order of versions. In blindw-rw half read, half write. In
//                  blindw-rw+ half of the reads cover ten adjacent keys instead of one.

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/retiring_keys.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;
using Draw = std::function<TransactionPlan(const KeyChoice& keys, Random& random)>;

class Plans : public Generator {
 public:
  // A table of registers has a row for every key.
  Plans(TableInfo table, KeyChoice keys, Draw draw)
      : table_(std::move(table)), keys_(std::move(keys)), draw_(std::move(draw)) {
    if (table_.holds == TableInfo::Holds::Registers) table_.rows = keys_.keys();
  }

  Schema schema() const override { return {table_}; }
  TransactionPlan next(Random& random, std::uint32_t) override { return draw_(keys_, random); }

 protected:
  const KeyChoice& keys() const { return keys_; }

 private:
  TableInfo table_;
  KeyChoice keys_;
  Draw draw_;
};

// Every key exists and is initially 0.
TableInfo registers() { return {.name = "registers", .initial = TableInfo::Initial::Zero}; }

std::unique_ptr<Generator> over_registers(KeyChoice keys, Draw draw) {
  return std::make_unique<Plans>(registers(), std::move(keys), std::move(draw));
}

TransactionPlan repeat(Kind kind, std::size_t count, const KeyChoice& keys, Random& random) {
  TransactionPlan plan;
  plan.operations.reserve(count);
  for (std::size_t i = 0; i < count; ++i) plan.operations.push_back({kind, keys.choose(random)});
  return plan;
}

// "R1 W2": letters and key places, in MTC's own notation.
constexpr std::array<std::string_view, 9> kShapes = {"R1",     "R1R2",     "R1W1",     "R1R2W2",  "R2R1W2",
                                                     "R2W2R1", "R1R2W1W2", "R1R2W2W1", "R1W1R2W2"};
// The shapes that read or write a key twice.
constexpr std::array<std::string_view, 11> kTwiceShapes = {"R1R1",     "R1R1W1",   "R1W1R1",  "R1R1W1W1",
                                                           "R1W1R1W1", "R1W1R2W1", "R1W1W1",  "R1W1W1R1",
                                                           "R1W1W1R2", "R1R2W1W1", "R1R2W2W2"};

std::unique_ptr<Generator> make_mini(const Parameters& parameters, KeyChoice keys) {
  const double twice = parameters["same-key"];
  return over_registers(std::move(keys), [=](const KeyChoice& choice, Random& random) {
    const std::string_view shape = random.chance(twice) ? kTwiceShapes[random.below(kTwiceShapes.size())]
                                                        : kShapes[random.below(kShapes.size())];
    const std::uint64_t first = choice.choose(random);
    const bool needs_second = shape.find('2') != std::string_view::npos;
    const std::uint64_t second = needs_second ? choice.choose_other_than(first, random) : first;
    TransactionPlan plan;
    plan.operations.reserve(shape.size() / 2);
    for (std::size_t i = 0; i < shape.size(); i += 2)
      plan.operations.push_back(
          {shape[i] == 'R' ? Kind::Read : Kind::Write, shape[i + 1] == '1' ? first : second});
    return plan;
  });
}

// A read-modify-write is two operations.
std::unique_ptr<Generator> make_general(const Parameters& parameters, KeyChoice keys) {
  const std::size_t operations = parameters.whole("operations");
  const double read_only = parameters["read-only"], write_only = parameters["write-only"];
  return over_registers(std::move(keys), [=](const KeyChoice& choice, Random& random) {
    const double draw = random.unit();
    if (draw < read_only) return repeat(Kind::Read, operations, choice, random);
    if (draw < read_only + write_only) return repeat(Kind::Write, operations, choice, random);
    return repeat(Kind::ReadModifyWrite, (operations + 1) / 2, choice, random);
  });
}

std::unique_ptr<Generator> make_registers(const Parameters& parameters, KeyChoice keys) {
  const std::size_t most_operations = parameters.whole("operations");
  const double reads = parameters["reads"];
  return over_registers(std::move(keys), [=](const KeyChoice& choice, Random& random) {
    TransactionPlan plan;
    const std::uint64_t count = 1 + random.below(most_operations);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Kind kind = random.chance(reads) ? Kind::Read : Kind::Write;
      plan.operations.push_back({kind, choice.choose(random)});
    }
    return plan;
  });
}

std::unique_ptr<Generator> make_operation_mix(const Parameters& parameters, KeyChoice keys) {
  const std::size_t count = std::min<std::uint64_t>(parameters.whole("operations"), keys.keys());
  const double reads = parameters["reads"], writes = parameters["writes"];
  return over_registers(std::move(keys), [=](const KeyChoice& choice, Random& random) {
    TransactionPlan plan;
    std::size_t draws_left = 100 * count;  // If few keys are ever chosen, transactions are shorter.
    while (plan.operations.size() < count && draws_left-- > 0) {
      const std::uint64_t key = choice.choose(random);
      if (std::ranges::find(plan.operations, key, &PlannedOperation::key) != plan.operations.end()) continue;
      const double draw = random.unit();
      const Kind other = draw < reads + writes ? Kind::Write : Kind::ReadModifyWrite;
      plan.operations.push_back({draw < reads ? Kind::Read : other, key});
    }
    return plan;
  });
}

std::unique_ptr<Generator> make_list_append(const Parameters& parameters, KeyChoice keys) {
  RetiringKeys lists(keys.keys(), parameters.whole("appends-per-key"));
  const auto draw = [most_operations = parameters.whole("operations"), reads = parameters["reads"],
                     lists = std::move(lists)](const KeyChoice& choice, Random& random) mutable {
    TransactionPlan plan;
    const std::uint64_t count = 1 + random.below(most_operations);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t place = choice.choose(random);
      const Kind kind = random.chance(reads) ? Kind::ReadList : Kind::Append;
      plan.operations.push_back({kind, lists.at(place)});
      if (kind == Kind::Append) lists.use(place);
    }
    return plan;
  };
  return std::make_unique<Plans>(TableInfo{.name = "lists", .holds = TableInfo::Holds::Lists},
                                 std::move(keys), draw);
}

class Lightweight final : public Plans {
 public:
  Lightweight(KeyChoice keys, Draw draw, std::uint32_t concurrent)
      : Plans({.name = "rows", .initial = TableInfo::Initial::Absent}, std::move(keys), std::move(draw)),
        concurrent_(concurrent) {}

  std::uint32_t concurrent() const override { return concurrent_; }

 private:
  std::uint32_t concurrent_;
};

// The first operation on a key inserts it; some later ones try again and fail.
std::unique_ptr<Generator> make_lightweight(const Parameters& parameters, KeyChoice keys) {
  const auto draw = [inserts = parameters["inserts"], reads = parameters["reads"],
                     touched = std::vector<bool>(keys.keys())](const KeyChoice& choice,
                                                               Random& random) mutable {
    const std::uint64_t key = choice.choose(random);
    const double share = random.unit();
    const bool first = !touched[key];
    touched[key] = true;
    const Kind later = share < inserts + reads ? Kind::Read : Kind::CompareAndSet;
    return TransactionPlan{.operations = {{first || share < inserts ? Kind::Insert : later, key}}};
  };
  return std::make_unique<Lightweight>(std::move(keys), draw,
                                       static_cast<std::uint32_t>(parameters.whole("concurrent")));
}

Draw draw_blindly(std::size_t operations, double reads) {
  return [=](const KeyChoice& choice, Random& random) {
    return repeat(random.chance(reads) ? Kind::Read : Kind::Write, operations, choice, random);
  };
}

std::unique_ptr<Generator> make_blindw_w(const Parameters& parameters, KeyChoice keys) {
  return over_registers(std::move(keys), draw_blindly(parameters.whole("operations"), 0));
}

std::unique_ptr<Generator> make_blindw_rw(const Parameters& parameters, KeyChoice keys) {
  return over_registers(std::move(keys), draw_blindly(parameters.whole("operations"), parameters["reads"]));
}

class BlindWWithRanges final : public Plans {
 public:
  BlindWWithRanges(const Parameters& parameters, KeyChoice choice)
      : Plans(registers(), std::move(choice),
              draw_blindly(parameters.whole("operations"), parameters["reads"])),
        ranges_(parameters["ranges"]),
        width_(std::min<std::uint64_t>(parameters.whole("width"), keys().keys())) {}

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t session, KnownTags&) override {
    std::vector<Request> requests;
    for (const auto& [kind, key] : next(random, session).operations) {
      const std::uint64_t low = std::min(key, keys().keys() - width_);
      if (kind == Kind::Write)
        requests.push_back(ask::write(0, key));
      else if (random.chance(ranges_))
        requests.push_back(ask::scan(0, ask::keys(low, low + width_ - 1)));
      else
        requests.push_back(ask::read(0, key));
    }
    return script_of(std::move(requests));
  }

 private:
  double ranges_;
  std::uint64_t width_;
};

constexpr ParameterInfo kOperations{"operations", "operations per transaction", 8, 1, 1000};
constexpr ParameterInfo kMostOperations{"operations", "largest number of operations per transaction", 4, 1,
                                        1000};
constexpr ParameterInfo kReads{"reads", "share of the operations that read", 0.5, 0, 1, kReal};
constexpr ParameterInfo kReaders{"reads", "share of transactions that only read", 0.5, 0, 1, kReal};

}  // namespace

std::vector<WorkloadInfo> plan_workloads() {
  return {
      {.name = "mini",
       .description = "mini-transactions: one or two keys, every write after a read of its key",
       .parameters = {{"same-key", "share of the transactions that read or write a key twice", 0.25, 0, 1,
                       kReal}},
       .make = make_mini,
       .keys = 100},
      {.name = "general",
       .description = "read-only, write-only and read-modify-write transactions of fixed length",
       .parameters = {kOperations,
                      {"read-only", "share of transactions that only read", 0.2, 0, 1, kReal},
                      {"write-only", "share of transactions that only write", 0.4, 0, 1, kReal}},
       .make = make_general},
      {.name = "registers",
       .description = "reads and blind writes, freely mixed",
       .parameters = {kMostOperations, kReads},
       .make = make_registers,
       .keys = 100,
       .aliases = {"rw-register"}},
      {.name = "operation-mix",
       .description = "operations that read, write or do both, each on a different key",
       .parameters = {kOperations,
                      {"reads", "share of the operations that only read", 0.5, 0, 1, kReal},
                      {"writes", "share that only write; the rest do both", 0.35, 0, 1, kReal}},
       .make = make_operation_mix,
       .keys = 1000},
      {.name = "list-append",
       .description = "appends to lists and reads of whole lists; fresh keys replace old ones",
       .parameters = {kMostOperations,
                      kReads,
                      {"appends-per-key", "appends before a key is replaced", 32, 1, 1'000'000}},
       .make = make_list_append,
       .data = WorkloadInfo::Data::Lists,
       .keys = 30},
      {.name = "lightweight",
       .description = "single insert-if-absent, compare-and-set and read operations",
       .parameters = {{"inserts", "share of later operations that insert again", 0.05, 0, 1, kReal},
                      {"reads", "share of the operations that read", 0.25, 0, 1, kReal},
                      {"concurrent", "operations at a time, simulated; 0: one per session", 0, 0, 1e6}},
       .make = make_lightweight,
       .data = WorkloadInfo::Data::Rows,
       .keys = 100},
      {.name = "blindw-w",
       .description = "BlindW-W: transactions that only write, blindly",
       .parameters = {kOperations},
       .make = make_blindw_w,
       .keys = 2000},
      {.name = "blindw-rw",
       .description = "BlindW-RW: transactions that only read or only write, blindly",
       .parameters = {kOperations, kReaders},
       .make = make_blindw_rw,
       .keys = 2000},
      {.name = "blindw-rw+",
       .description = "BlindW-RW+: like blindw-rw, with half of the reads over ten adjacent keys",
       .parameters = {kOperations,
                      kReaders,
                      {"ranges", "share of reads over a range", 0.5, 0, 1, kReal},
                      {"width", "number of keys in a range", 10, 1, 1000}},
       .make = make_generator<BlindWWithRanges>,
       .form = WorkloadInfo::Form::Scripts,
       .needs_ranges = true,
       .keys = 2000},
  };
}

}  // namespace serval
