#include "serval/workload/workload.h"

#include <array>
#include <utility>

#include "serval/workload/general.h"
#include "serval/workload/lightweight.h"
#include "serval/workload/list_append.h"
#include "serval/workload/mini_transactions.h"
#include "serval/workload/registers.h"

namespace serval {
namespace {

constexpr auto kReal = ParameterInfo::Number::Real;
using Data = WorkloadInfo::Data;

}  // namespace

std::span<const WorkloadInfo> all_workloads() {
  static const std::array<WorkloadInfo, 5> table = {{
      {"mini",
       "mini-transactions: one or two keys, every write after a read of its key",
       {{"same-key", "share of the shapes that touch one key twice or more", 0.25, 0, 1, kReal}},
       Data::Registers,
       make_mini_transactions},
      {"general",
       "read-only, write-only and read-modify-write transactions of fixed length",
       {{"operations", "operations a transaction", 8, 1, 1000},
        {"read-only", "share of transactions that only read", 0.2, 0, 1, kReal},
        {"write-only", "share of transactions that only write", 0.4, 0, 1, kReal}},
       Data::Registers,
       make_general},
      {"registers",
       "reads and blind writes, freely mixed",
       {{"operations", "most operations a transaction", 4, 1, 1000},
        {"reads", "share of the operations that read", 0.5, 0, 1, kReal}},
       Data::Registers,
       make_registers},
      {"list-append",
       "appends to lists and reads of whole lists; keys retire and fresh ones come",
       {{"operations", "most operations a transaction", 4, 1, 1000},
        {"reads", "share of the operations that read", 0.5, 0, 1, kReal},
        {"appends-per-key", "appends after which a key retires", 32, 1, 1'000'000}},
       Data::Lists,
       make_list_append},
      {"lightweight",
       "single insert-if-absent, compare-and-set and read operations",
       {{"inserts", "share of later operations that insert again", 0.05, 0, 1, kReal},
        {"reads", "share of the operations that read", 0.25, 0, 1, kReal}},
       Data::Rows,
       make_lightweight},
  }};
  return table;
}

Workload make_workload(std::string_view spec, KeyChoice keys) {
  std::vector<ChoiceInfo> rows;
  for (const WorkloadInfo& info : all_workloads()) rows.push_back({info.name, info.parameters});
  const Choice choice = parse_choice("workload", spec, rows);
  const WorkloadInfo& info = all_workloads()[choice.row];
  return {&info, info.make(choice.parameters, std::move(keys))};
}

}  // namespace serval
