// Properties of the scripts of every workload.

#include <algorithm>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "serval/base/contract.h"
#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "workload/played_run.h"

namespace serval {
namespace {

class EveryWorkload : public testing::TestWithParam<std::string> {
 protected:
  const WorkloadInfo& info() const { return *find_workload(GetParam()); }
};

auto spelled(const Request& request) {
  return std::tuple(request.kind, request.table, request.key, request.expected, request.columns,
                    request.column, request.low, request.high, request.locks);
}

bool same_requests(const PlayedRun& a, const PlayedRun& b) {
  return std::ranges::equal(
      a.transactions, b.transactions, [](const PlayedTransaction& x, const PlayedTransaction& y) {
        return std::ranges::equal(x.steps, y.steps, [](const auto& left, const auto& right) {
          return spelled(left.asked) == spelled(right.asked);
        });
      });
}

TEST_P(EveryWorkload, RequestsOnlyWhatItsSchemaHas) {
  for (const PlayedTransaction& transaction : play_run(GetParam()).transactions)
    EXPECT_FALSE(transaction.steps.empty());
}

TEST_P(EveryWorkload, RequestsDependOnlyOnTheSeed) {
  EXPECT_TRUE(same_requests(play_run(GetParam()), play_run(GetParam())));
  EXPECT_FALSE(same_requests(play_run(GetParam()), play_run(GetParam(), {.seed = 8})));
}

TEST_P(EveryWorkload, NeedsRangesExactlyWhereItSaysSo) {
  bool asks_for_ranges = false;
  for (const PlayedTransaction& transaction : play_run(GetParam()).transactions)
    for (const auto& step : transaction.steps) asks_for_ranges |= is_range(step.asked.kind);
  EXPECT_EQ(asks_for_ranges, info().needs_ranges);
}

TEST_P(EveryWorkload, KeepsItsInvariantsInASerialRun) {
  EXPECT_EQ(play_run(GetParam(), {.transactions = 3000}).broken_invariants, std::vector<std::string>{});
}

TEST_P(EveryWorkload, HasTablesWithDistinctNames) {
  std::set<std::string> names;
  for (const TableInfo& table : play_run(GetParam(), {.transactions = 0}).schema)
    EXPECT_TRUE(names.insert(table.name).second) << table.name;
  EXPECT_FALSE(names.empty());
}

TEST_P(EveryWorkload, ChoosesFromTheRequestedNumberOfKeys) {
  const Workload workload = make_workload(GetParam(), {.keys = 17});
  EXPECT_EQ(workload.keys, info().keys == 0 ? 0u : 17u);
  EXPECT_EQ(make_workload(GetParam(), KeyRequest{}).keys, info().keys);
}

TEST_P(EveryWorkload, RunsOnASingleKey) {
  EXPECT_EQ(play_run(GetParam(), {.transactions = 200, .keys = {.keys = 1}}).broken_invariants,
            std::vector<std::string>{});
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const WorkloadInfo& info : all_workloads()) names.emplace_back(info.name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, '+', 'P');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryWorkload, testing::ValuesIn(all_names()), test_name);

TEST(Workload, HasScriptsOnlyWhereRequestsDependOnAnswers) {
  std::set<std::string_view> scripts;
  for (const WorkloadInfo& info : all_workloads())
    if (info.form == WorkloadInfo::Form::Scripts) scripts.insert(info.name);
  EXPECT_EQ(scripts, (std::set<std::string_view>{"bank", "blindw-rw+", "check-then-insert", "pairs",
                                                 "phantoms", "predicate-mix", "predicates", "smallbank",
                                                 "tpcc", "ycsb-d", "ycsb-e"}));
  Random random(1);
  EXPECT_THROW((void)make_workload("bank", KeyRequest{}).generator->next(random, 0), BrokenContract);
}

TEST(Workload, IsFoundByItsAlias) {
  EXPECT_EQ(find_workload("rw-register"), find_workload("registers"));
  EXPECT_EQ(make_workload("rw-register:operations=2", KeyRequest{}).info->name, "registers");
  EXPECT_EQ(find_workload("nothing"), nullptr);
}

Dialogue ask_twice(std::uint64_t first) {
  const Answer answer = co_await ask::read(0, first);
  if (answer.rows.empty()) co_return Ending::Abort;
  co_await ask::read(0, static_cast<std::uint64_t>(answer.rows.front().tag));
  co_return Ending::Commit;
}

TEST(Dialogue, RequestsDependOnThePreviousAnswer) {
  const std::unique_ptr<Script> script = script_of(ask_twice(5));
  const std::optional<Request> first = script->next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->key, 5u);
  script->complete(*first, Answer{.rows = {{.key = 5, .tag = 9}}});
  EXPECT_EQ(script->next()->key, 9u);
  EXPECT_FALSE(script->next());
  EXPECT_FALSE(script->next());
  EXPECT_FALSE(script->aborts());
}

TEST(Dialogue, AbortsWhereItSaysSo) {
  const std::unique_ptr<Script> script = script_of(ask_twice(5));
  script->complete(*script->next(), Answer{});
  EXPECT_FALSE(script->next());
  EXPECT_TRUE(script->aborts());
}

TEST(Dialogue, MayBeAbandonedHalfway) {
  const std::unique_ptr<Script> script = script_of(ask_twice(5));
  EXPECT_TRUE(script->next());
}

Dialogue break_off() {
  co_await ask::read(0, 1);
  expects(false, "never here");
  co_return Ending::Commit;
}

TEST(Dialogue, PassesOnExceptions) {
  const std::unique_ptr<Script> script = script_of(break_off());
  script->complete(*script->next(), Answer{});
  EXPECT_THROW((void)script->next(), BrokenContract);
}

}  // namespace
}  // namespace serval
