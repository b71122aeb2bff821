#include "serval/workload/workload.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "serval/base/error.h"

namespace serval {
namespace {

using Kind = PlannedOperation::Kind;

std::vector<TransactionPlan> plans(std::string_view spec, std::uint64_t keys, std::size_t count) {
  Workload workload = make_workload(spec, KeyChoice(keys));
  Random random(7);
  std::vector<TransactionPlan> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(workload.generator->next(random, 0));
  return result;
}

InputError error_of(std::string_view spec) {
  try {
    (void)make_workload(spec, KeyChoice(10));
  } catch (const InputError& error) {
    return error;
  }
  throw std::logic_error("no InputError");
}

// "R1W1R2W2", with keys numbered by first appearance.
std::string shape_of(const TransactionPlan& plan) {
  std::map<std::uint64_t, std::size_t> places;
  std::string shape;
  for (const PlannedOperation& op : plan.operations) {
    const std::size_t place = places.try_emplace(op.key, places.size() + 1).first->second;
    shape += (op.kind == Kind::Read ? "R" : "W") + std::to_string(place);
  }
  return shape;
}

std::vector<std::string_view> planned_workloads() {
  std::vector<std::string_view> names;
  for (const WorkloadInfo& info : all_workloads())
    if (info.form == WorkloadInfo::Form::Plans) names.push_back(info.name);
  return names;
}

TEST(Workload, SameDrawsGiveTheSamePlans) {
  for (const std::string_view name : planned_workloads())
    EXPECT_EQ(plans(name, 100, 200), plans(name, 100, 200)) << name;
}

TEST(OperationMix, OperationsHaveTheirOwnSharesAndKeys) {
  std::map<Kind, double> shares;
  for (const TransactionPlan& plan : plans("operation-mix:operations=5,reads=0.1,writes=0.8", 50, 2000)) {
    std::set<std::uint64_t> keys;
    for (const PlannedOperation& op : plan.operations) {
      shares[op.kind] += 1 / 10'000.0;
      keys.insert(op.key);
    }
    ASSERT_EQ(keys.size(), 5u);
  }
  EXPECT_NEAR(shares[Kind::Read], 0.1, 0.02);
  EXPECT_NEAR(shares[Kind::Write], 0.8, 0.02);
  EXPECT_NEAR(shares[Kind::ReadModifyWrite], 0.1, 0.02);
}

TEST(OperationMix, FewKeysMakeShortTransactions) {
  for (const TransactionPlan& plan : plans("operation-mix:operations=8", 3, 100))
    EXPECT_EQ(plan.operations.size(), 3u);
  Workload skewed = make_workload("operation-mix:operations=8", make_key_choice("exponential:rate=30", 100));
  Random random(7);
  for (int i = 0; i < 20; ++i) EXPECT_LE(skewed.generator->next(random, 0).operations.size(), 8u);
}

TEST(Workload, EveryPlanHasAnOperation) {
  for (const std::string_view name : planned_workloads())
    for (const TransactionPlan& plan : plans(name, 5, 500)) EXPECT_FALSE(plan.operations.empty()) << name;
}

TEST(MiniTransactions, ReadEveryKeyBeforeWritingIt) {
  for (const TransactionPlan& plan : plans("mini", 3, 2000)) {
    std::set<std::uint64_t> read;
    for (const PlannedOperation& op : plan.operations) {
      if (op.kind == Kind::Read) read.insert(op.key);
      EXPECT_TRUE(read.contains(op.key));
    }
    EXPECT_LE(read.size(), 2u);
    EXPECT_LE(plan.operations.size(), 4u);
  }
}

// The shapes of MTC's Definition 8 that begin with `shape`: one or two reads, at most two writes, and every
// write after a read of its key. Keys are numbered by first appearance.
void add_shapes(const std::string& shape, std::set<std::string>& shapes) {
  const bool has_two_keys = shape.find('2') != std::string::npos;
  const std::size_t reads = static_cast<std::size_t>(std::ranges::count(shape, 'R'));
  const std::size_t writes = shape.size() / 2 - reads;
  if (!shape.empty()) shapes.insert(shape);
  if (reads < 2) add_shapes(shape + "R1", shapes);
  if (reads == 1) add_shapes(shape + "R2", shapes);
  if (reads > 0 && writes < 2) add_shapes(shape + "W1", shapes);
  if (has_two_keys && writes < 2) add_shapes(shape + "W2", shapes);
}

std::set<std::string> shapes_of_definition_8() {
  std::set<std::string> shapes;
  add_shapes("", shapes);
  return shapes;
}

std::map<std::string, int> shapes_in(std::string_view spec) {
  std::map<std::string, int> count;
  for (const TransactionPlan& plan : plans(spec, 1000, 20'000)) ++count[shape_of(plan)];
  return count;
}

TEST(MiniTransactions, TakeEveryShapeOfTheDefinitionAndNoOther) {
  std::set<std::string> taken;
  for (const auto& [shape, count] : shapes_in("mini")) taken.insert(shape);
  EXPECT_EQ(shapes_of_definition_8().size(), 20u);
  EXPECT_EQ(taken, shapes_of_definition_8());
}

TEST(MiniTransactions, TakeShapesThatUseAKeyTwiceAsOftenAsAsked) {
  // R2R1W2 is R1R2W1 and R2W2R1 is R1W1R2 if keys are numbered by appearance.
  const std::set<std::string> once{"R1",     "R1R2",     "R1W1",     "R1R2W1",  "R1R2W2",
                                   "R1W1R2", "R1R2W1W2", "R1R2W2W1", "R1W1R2W2"};
  for (const auto& [spec, share] : {std::pair("mini:same-key=0", 0.0), std::pair("mini", 0.25)}) {
    int twice = 0;
    for (const auto& [shape, count] : shapes_in(spec)) twice += once.contains(shape) ? 0 : count;
    EXPECT_NEAR(twice / 20'000.0, share, 0.02) << spec;
  }
}

TEST(MiniTransactions, WorkWithASingleKey) {
  for (const TransactionPlan& plan : plans("mini", 1, 100))
    for (const PlannedOperation& op : plan.operations) EXPECT_EQ(op.key, 0u);
}

TEST(General, KeepsItsShares) {
  std::map<Kind, int> count;
  for (const TransactionPlan& plan : plans("general:operations=6", 100, 10'000)) {
    const Kind kind = plan.operations.front().kind;
    ++count[kind];
    EXPECT_EQ(plan.operations.size(), kind == Kind::ReadModifyWrite ? 3u : 6u);
    for (const PlannedOperation& op : plan.operations) EXPECT_EQ(op.kind, kind);
  }
  EXPECT_NEAR(count[Kind::Read], 2000, 200);
  EXPECT_NEAR(count[Kind::Write], 4000, 250);
  EXPECT_NEAR(count[Kind::ReadModifyWrite], 4000, 250);
}

TEST(Registers, MixOneToFourOperations) {
  std::set<std::size_t> lengths;
  std::set<Kind> kinds;
  for (const TransactionPlan& plan : plans("registers", 10, 500)) {
    lengths.insert(plan.operations.size());
    for (const PlannedOperation& op : plan.operations) kinds.insert(op.kind);
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{1, 2, 3, 4}));
  EXPECT_EQ(kinds, (std::set<Kind>{Kind::Read, Kind::Write}));
}

TEST(ListAppend, RetiresKeysAfterTheirShareOfAppends) {
  std::map<std::uint64_t, int> appends;
  for (const TransactionPlan& plan : plans("list-append:appends-per-key=5", 3, 1000))
    for (const PlannedOperation& op : plan.operations) appends[op.key] += op.kind == Kind::Append ? 1 : 0;
  EXPECT_GT(appends.size(), 100u);
  for (const auto& [key, count] : appends) EXPECT_LE(count, 5) << key;
}

TEST(Lightweight, AccessesEveryKeyFirstWithAnInsert) {
  std::set<std::uint64_t> seen;
  for (const TransactionPlan& plan : plans("lightweight", 50, 2000)) {
    ASSERT_EQ(plan.operations.size(), 1u);
    const bool first = seen.insert(plan.operations[0].key).second;
    EXPECT_TRUE(!first || plan.operations[0].kind == Kind::Insert);
  }
}

TEST(WorkloadSpec, SuggestsTheNearestName) {
  const InputError error = error_of("list-apend");
  EXPECT_EQ(error.position().file, "workload");
  EXPECT_EQ(error.hint(), "did you mean \"list-append\"?");
}

TEST(WorkloadSpec, PointsAtAnUnknownParameter) {
  const InputError error = error_of("general:opertions=3");
  EXPECT_EQ(error.position().column, 9u);
  EXPECT_EQ(error.hint(), "did you mean \"operations\"?");
}

TEST(WorkloadSpec, RefusesValuesOutsideTheirRange) {
  for (const char* spec : {"general:operations=0", "general:operations=1.5", "general:operations=many",
                           "general:operations=", "registers:reads=1.1", "registers:reads=nan"})
    EXPECT_THROW((void)make_workload(spec, KeyChoice(10)), InputError) << spec;
}

TEST(WorkloadSpec, RefusesAParameterWithoutAValue) {
  EXPECT_EQ(error_of("general:operations").hint(), "operations=...");
}

}  // namespace
}  // namespace serval
