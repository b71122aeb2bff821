// Two transactions that read the same keys, where each sees a write that the other does not, disagree on
// the order of those writes: a long fork, which parallel snapshot isolation allows and snapshot
// isolation does not. Every key is written at most once. After Jepsen's long-fork workload.

#include <algorithm>
#include <map>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "serval/model/checkers.h"
#include "serval/model/findings.h"
#include "serval/model/micro_operations.h"

namespace serval {
namespace {

// One read of a group: the values of its keys, in group order.
struct GroupRead {
  std::uint32_t operation;
  std::vector<Value> values;
  std::size_t seen;  // The number of values that are not nil.
};

class LongFork {
 public:
  LongFork(const ClientHistory& history, const ModelOptions& options)
      : history_(history), options_(options), findings_(options) {}

  ModelResult check() && {
    const std::vector<ClientOperation>& operations = history_.operations();
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      if (options_.budget != nullptr) options_.budget->poll("long-fork");
      take(i, operations[i]);
    }
    for (auto& [keys, reads] : groups_) compare(keys, reads);
    findings_.fact("groups", groups_.size());
    findings_.fact("reads", reads_);
    if (doubt_.empty() && reads_ == 0) doubt_ = "no read succeeded, so there is nothing to judge";
    return std::move(findings_).finish(std::move(doubt_));
  }

 private:
  void take(std::uint32_t i, const ClientOperation& operation) {
    const FormValue& term = operation.ok() ? *operation.result : *operation.argument;
    const std::vector<MicroOperation> steps = micro_operations(history_, operation, term);
    const bool reads_only = std::ranges::all_of(
        steps, [](const MicroOperation& step) { return step.kind == MicroOperation::Kind::Read; });
    if (!reads_only)
      take_write(operation, steps);
    else if (operation.ok() && !steps.empty())
      take_read(i, operation, steps);
  }

  void take_write(const ClientOperation& operation, const std::vector<MicroOperation>& steps) {
    if (steps.size() != 1)
      throw history_.error(operation, "expected a transaction of reads, or of a single write");
    if (!operation.failed() && !written_.insert({steps.front().key, steps.front().value}).second)
      doubt_ = fmt::format("key {} is written more than once, so its values have no known order",
                           history_.format(steps.front().key));
  }

  void take_read(std::uint32_t i, const ClientOperation& operation, std::vector<MicroOperation> steps) {
    ++reads_;
    std::ranges::sort(steps, {}, &MicroOperation::key);
    GroupRead read{i, {}, 0};
    std::vector<Value> keys;
    for (const MicroOperation& step : steps) {
      keys.push_back(step.key);
      read.values.push_back(step.value);
      read.seen += step.value.is_nil() ? 0 : 1;
    }
    const std::uint64_t size = options_.group_size.value_or(group_size_.value_or(keys.size()));
    group_size_ = size;
    if (keys.size() != size || std::ranges::adjacent_find(keys) != keys.end())
      throw history_.error(operation, fmt::format("expected a read of {} different keys", size),
                           "--group-size sets the number of keys per read");
    groups_[std::move(keys)].push_back(std::move(read));
  }

  // Sorted by the number of values seen, each read of a group must include the previous one; if two
  // neighbours do not, each has a value that the other lacks.
  void compare(const std::vector<Value>& keys, std::vector<GroupRead>& reads) {
    std::ranges::stable_sort(reads, {}, &GroupRead::seen);
    for (std::size_t i = 1; i < reads.size(); ++i) {
      const GroupRead &smaller = reads[i - 1], &larger = reads[i];
      std::size_t lacks = keys.size(), has = keys.size();
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const bool in_smaller = !smaller.values[k].is_nil(), in_larger = !larger.values[k].is_nil();
        if (in_smaller && in_larger && smaller.values[k] != larger.values[k])
          doubt_ = fmt::format("key {} was read with two values, so they have no known order",
                               history_.format(keys[k]));
        if (in_smaller && !in_larger) lacks = k;
        if (!in_smaller && in_larger) has = k;
      }
      if (lacks != keys.size()) report(smaller, larger, keys[lacks], keys[has]);
    }
  }

  void report(const GroupRead& one, const GroupRead& other, Value first, Value second) {
    const std::uint32_t a = std::min(one.operation, other.operation),
                        b = std::max(one.operation, other.operation);
    findings_.add("long-fork", {a, b}, first, [&] {
      return fmt::format("one saw {} but not {}, the other {} but not {}", history_.format(first),
                         history_.format(second), history_.format(second), history_.format(first));
    });
  }

  const ClientHistory& history_;
  const ModelOptions& options_;
  Findings findings_;
  std::optional<std::uint64_t> group_size_;
  absl::flat_hash_map<Value, Value> written_;
  std::map<std::vector<Value>, std::vector<GroupRead>> groups_;
  std::uint64_t reads_ = 0;
  std::string doubt_;
};

}  // namespace

ModelResult check_long_fork(const ClientHistory& history, const ModelOptions& options) {
  return LongFork(history, options).check();
}

}  // namespace serval
