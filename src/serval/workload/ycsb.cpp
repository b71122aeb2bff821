// YCSB's core workloads (Cooper et al., SoCC 2010), with a few operations per transaction.
//
//   a  half reads, half updates           d  95 % reads of the latest rows, 5 % inserts
//   b  95 % reads, 5 % updates            e  95 % scans of up to 100 rows, 5 % inserts
//   c  only reads                         f  half reads, half read-modify-writes
//
// Updates write all fields of a row (YCSB's writeallfields), so that every write names its writer.

#include "serval/base/contract.h"
#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

constexpr std::uint32_t kRows = 0;

// Shares of the operations; the rest are reads.
struct Mix {
  double updates = 0, inserts = 0, changes = 0, scans = 0;
  bool latest = false;  // Reads prefer the newest rows.
};
constexpr Mix kA{.updates = 0.5};
constexpr Mix kB{.updates = 0.05};
constexpr Mix kC{};
constexpr Mix kD{.inserts = 0.05, .latest = true};
constexpr Mix kE{.inserts = 0.05, .scans = 0.95};
constexpr Mix kF{.changes = 0.5};

struct Operation {
  enum class Kind { Read, Update, Insert, Change, Scan } kind = Kind::Read;
  std::uint64_t key = 0;
  std::uint64_t length = 1;  // Of a scan.
};

ask::Columns fresh_fields(std::size_t count, Random& random) {
  ask::Columns fields(count);
  for (std::int64_t& field : fields) field = static_cast<std::int64_t>(random.below(1'000'000));
  return fields;
}

// Reads the row and writes it back with its first field incremented.
Dialogue operate(std::vector<Operation> operations, std::size_t fields, Random random) {
  for (const Operation& operation : operations) {
    switch (operation.kind) {
      case Operation::Kind::Read:
        co_await ask::read(kRows, operation.key);
        break;
      case Operation::Kind::Update:
        co_await ask::write(kRows, operation.key, fresh_fields(fields, random));
        break;
      case Operation::Kind::Insert:
        co_await ask::insert(kRows, operation.key, fresh_fields(fields, random));
        break;
      case Operation::Kind::Scan:
        co_await ask::scan(kRows, ask::keys(operation.key, operation.key + operation.length - 1));
        break;
      case Operation::Kind::Change: {
        const Answer before = co_await ask::read(kRows, operation.key);
        ask::Columns row = before.rows.empty() ? ask::Columns(fields, 0) : before.rows.front().columns;
        ++row.front();
        co_await ask::write(kRows, operation.key, std::move(row));
        break;
      }
    }
  }
  co_return Ending::Commit;
}

class Ycsb final : public Generator {
 public:
  Ycsb(const Mix& mix, const Parameters& parameters, KeyChoice keys)
      : mix_(mix),
        operations_(parameters.whole("operations")),
        fields_(parameters.whole("fields")),
        longest_scan_(mix.scans > 0 ? parameters.whole("scan") : 0),
        fresh_key_(keys.keys()),
        keys_(std::move(keys)) {}

  Schema schema() const override {
    TableInfo table{.name = "usertable", .initial = TableInfo::Initial::Zero, .rows = keys_.keys()};
    for (std::size_t i = 0; i < fields_; ++i) table.columns.push_back({.name = "field" + std::to_string(i)});
    return {table};
  }

  TransactionPlan next(Random& random, std::uint32_t) override {
    TransactionPlan plan;
    for (const Operation& operation : draw(random)) append(plan, operation);
    return plan;
  }

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t, KnownTags&) override {
    return script_of(operate(draw(random), fields_, Random(random.next())));
  }

 private:
  std::vector<Operation> draw(Random& random) {
    std::vector<Operation> operations;
    for (std::size_t i = 0; i < operations_; ++i) operations.push_back(draw_one(random));
    return operations;
  }

  Operation draw_one(Random& random) {
    double share = random.unit();
    if ((share -= mix_.updates) < 0) return {Operation::Kind::Update, keys_.choose(random)};
    if ((share -= mix_.inserts) < 0) return {Operation::Kind::Insert, fresh_key_++};
    if ((share -= mix_.changes) < 0) return {Operation::Kind::Change, keys_.choose(random)};
    if ((share -= mix_.scans) < 0)
      return {Operation::Kind::Scan, keys_.choose(random), 1 + random.below(longest_scan_)};
    return {Operation::Kind::Read, read_key(random)};
  }

  std::uint64_t read_key(Random& random) const {
    return mix_.latest ? fresh_key_ - 1 - keys_.choose(random) : keys_.choose(random);
  }

  static void append(TransactionPlan& plan, const Operation& operation) {
    using Planned = PlannedOperation::Kind;
    const bool planned = operation.kind != Operation::Kind::Scan && operation.kind != Operation::Kind::Insert;
    expects(planned, "the YCSB workload only reads and writes");
    if (operation.kind != Operation::Kind::Update) plan.operations.push_back({Planned::Read, operation.key});
    if (operation.kind != Operation::Kind::Read) plan.operations.push_back({Planned::Write, operation.key});
  }

  Mix mix_;
  std::size_t operations_, fields_, longest_scan_;
  std::uint64_t fresh_key_;
  KeyChoice keys_;
};

template <const Mix& kMix>
std::unique_ptr<Generator> make(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<Ycsb>(kMix, parameters, std::move(keys));
}

template <const Mix& kMix>
WorkloadInfo row(std::string_view name, std::string_view description) {
  std::vector<ParameterInfo> parameters = {{"operations", "operations per transaction", 4, 1, 1000},
                                           {"fields", "columns of the table", 10, 1, 10}};
  if (kMix.scans > 0) parameters.push_back({"scan", "largest number of keys in a scan", 100, 1, 10'000});
  return {.name = name,
          .description = description,
          .parameters = std::move(parameters),
          .make = make<kMix>,
          .form = kMix.inserts > 0 ? WorkloadInfo::Form::Scripts : WorkloadInfo::Form::Plans,
          .needs_ranges = kMix.scans > 0,
          .distribution = "zipf:exponent=0.99"};
}

}  // namespace

std::vector<WorkloadInfo> ycsb_workloads() {
  return {row<kA>("ycsb-a", "YCSB A: half reads, half updates"),
          row<kB>("ycsb-b", "YCSB B: reads and a few updates"),
          row<kC>("ycsb-c", "YCSB C: only reads"),
          row<kD>("ycsb-d", "YCSB D: reads of the latest rows and a few inserts"),
          row<kE>("ycsb-e", "YCSB E: scans and a few inserts"),
          row<kF>("ycsb-f", "YCSB F: half reads, half read-modify-writes")};
}

}  // namespace serval
