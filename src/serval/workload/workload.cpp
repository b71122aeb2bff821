#include "serval/workload/workload.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "serval/workload/workloads.h"

namespace serval {
namespace {

std::vector<WorkloadInfo> make_table() {
  std::vector<WorkloadInfo> table = plan_workloads();
  for (const auto make :
       {bank_workload, smallbank_workload, tpcc_workload, predicates_workload, predicate_mix_workload,
        check_then_insert_workload, phantoms_workload, pairs_workload})
    table.push_back(make());
  std::ranges::copy(ycsb_workloads(), std::back_inserter(table));
  return table;
}

struct ChosenWorkload {
  const WorkloadInfo& info;
  Parameters parameters;
};

ChosenWorkload parse_workload(std::string_view spec) {
  std::vector<ChoiceInfo> rows;
  std::vector<const WorkloadInfo*> infos;  // Of the rows.
  const auto add = [&](const WorkloadInfo& info, std::string_view name) {
    rows.push_back({name, info.parameters});
    infos.push_back(&info);
  };
  for (const WorkloadInfo& info : all_workloads()) {
    add(info, info.name);
    for (const std::string_view alias : info.aliases) add(info, alias);
  }
  Choice choice = parse_choice("workload", spec, rows);
  return {*infos[choice.row], std::move(choice.parameters)};
}

}  // namespace

std::span<const WorkloadInfo> all_workloads() {
  static const std::vector<WorkloadInfo> table = make_table();
  return table;
}

const WorkloadInfo* find_workload(std::string_view name) {
  for (const WorkloadInfo& info : all_workloads())
    if (info.name == name || std::ranges::find(info.aliases, name) != info.aliases.end()) return &info;
  return nullptr;
}

Workload make_workload(std::string_view spec, KeyChoice keys) {
  const ChosenWorkload chosen = parse_workload(spec);
  const std::uint64_t count = chosen.info.keys == 0 ? 0 : keys.keys();
  return {&chosen.info, chosen.info.make(chosen.parameters, std::move(keys)), count};
}

Workload make_workload(std::string_view spec, const KeyRequest& keys) {
  const WorkloadInfo& info = parse_workload(spec).info;
  const std::string distribution =
      keys.distribution.empty() ? std::string(info.distribution) : keys.distribution;
  const std::uint64_t count = keys.keys != 0 && info.keys != 0 ? keys.keys : info.keys;
  return make_workload(spec, make_key_choice(distribution, std::max<std::uint64_t>(count, 1)));
}

}  // namespace serval
