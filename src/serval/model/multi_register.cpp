// Transactions over a few registers, each a list of reads and writes, must be linearizable as a whole.
// Keys that no transaction uses together form separate parts. After Knossos' multi-register.

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/node_hash_map.h>

#include "serval/model/checkers.h"
#include "serval/model/linearizable_parts.h"
#include "serval/model/micro_operations.h"

namespace serval {
namespace {

using Steps = std::vector<MicroOperation>;

bool writes(const MicroOperation& step) { return step.kind == MicroOperation::Kind::Write; }
bool writes_all(const Steps& steps) { return std::ranges::all_of(steps, writes); }
bool writes_key(const Steps& steps, Value key) {
  return std::ranges::any_of(steps,
                             [&](const MicroOperation& step) { return writes(step) && step.key == key; });
}

// A state is the number of a tuple of values, one per key.
class RegistersObject {
 public:
  RegistersObject(std::vector<Steps> operations, Value initial) : operations_(std::move(operations)) {
    for (const Steps& steps : operations_)
      for (const MicroOperation& step : steps)
        places_.try_emplace(step.key, static_cast<std::uint32_t>(places_.size()));
    number_of(std::vector<Value>(places_.size(), initial));
    kinds_ = kinds_by(operations_, [](const Steps& steps) {
      std::vector<std::tuple<MicroOperation::Kind, Value, Value>> spelled;
      for (const MicroOperation& step : steps) spelled.emplace_back(step.kind, step.key, step.value);
      return spelled;
    });
  }

  static std::uint64_t initial() { return 0; }
  std::optional<std::uint64_t> apply(std::uint64_t state, std::uint32_t operation) {
    scratch_ = *tuples_[state];
    for (const MicroOperation& step : operations_[operation]) {
      Value& held = scratch_[places_.find(step.key)->second];
      if (!writes(step) && held != step.value) return std::nullopt;
      held = step.value;
    }
    return observes_only(operation) ? state : number_of(scratch_);
  }
  bool observes_only(std::uint32_t operation) const {
    return std::ranges::none_of(operations_[operation], writes);
  }
  bool hides(std::uint32_t later, std::uint32_t lost) const {
    const Steps& over = operations_[later];
    return writes_all(over) && std::ranges::all_of(operations_[lost], [&](const MicroOperation& step) {
             return !writes(step) || writes_key(over, step.key);
           });
  }
  std::uint32_t kind_of(std::uint32_t operation) const { return kinds_[operation]; }

  Value held(std::uint64_t state, Value key) const { return (*tuples_[state])[places_.find(key)->second]; }

 private:
  std::uint64_t number_of(const std::vector<Value>& tuple) {
    const auto [place, is_new] = numbers_.try_emplace(tuple, tuples_.size());
    if (is_new) tuples_.push_back(&place->first);
    return place->second;
  }

  std::vector<Steps> operations_;
  absl::flat_hash_map<Value, std::uint32_t> places_;  // Index of a key in a tuple.
  absl::node_hash_map<std::vector<Value>, std::uint64_t> numbers_;
  std::vector<const std::vector<Value>*> tuples_;
  std::vector<std::uint32_t> kinds_;
  std::vector<Value> scratch_;
};

struct Transaction {
  std::uint32_t operation;
  Steps steps;
};

// Groups transactions that are connected by common keys, in the order of their first one.
std::vector<std::vector<Transaction>> by_common_keys(std::vector<Transaction> transactions) {
  std::vector<std::uint32_t> leader(transactions.size());
  std::iota(leader.begin(), leader.end(), 0u);
  const auto find = [&](std::uint32_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  absl::flat_hash_map<Value, std::uint32_t> first_with;
  for (std::uint32_t i = 0; i < transactions.size(); ++i)
    for (const MicroOperation& step : transactions[i].steps) {
      const std::uint32_t one = find(first_with.try_emplace(step.key, i).first->second), other = find(i);
      leader[std::max(one, other)] = std::min(one, other);
    }
  std::map<std::uint32_t, std::vector<Transaction>> groups;
  for (std::uint32_t i = 0; i < transactions.size(); ++i)
    groups[find(i)].push_back(std::move(transactions[i]));
  std::vector<std::vector<Transaction>> out;
  out.reserve(groups.size());
  for (auto& [first, group] : groups) out.push_back(std::move(group));
  return out;
}

class MultiRegister {
 public:
  MultiRegister(const ClientHistory& history, const ModelOptions& options)
      : history_(history), options_(options), initial_(history.parse_value(options.initial)) {}

  ModelResult check() && {
    LinearizableParts parts(history_, options_);
    for (std::vector<Transaction>& group : by_common_keys(transactions())) judge(group, parts);
    return std::move(parts).finish();
  }

 private:
  // Only the writes of a lost transaction are known; a failed one is ignored.
  std::vector<Transaction> transactions() const {
    std::vector<Transaction> out;
    for (std::uint32_t i = 0; i < history_.operations().size(); ++i) {
      const ClientOperation& operation = history_.operations()[i];
      if (operation.failed()) continue;
      Steps steps =
          micro_operations(history_, operation, operation.ok() ? *operation.result : *operation.argument);
      if (operation.lost()) std::erase_if(steps, [](const MicroOperation& step) { return !writes(step); });
      if (!steps.empty()) out.push_back({i, std::move(steps)});
    }
    return out;
  }

  void judge(std::vector<Transaction>& group, LinearizableParts& parts) const {
    ObjectPart part;
    std::vector<Steps> steps;
    for (Transaction& transaction : group) {
      part.operations.push_back(transaction.operation);
      steps.push_back(std::move(transaction.steps));
    }
    part.name = history_.format(steps.front().front().key);
    RegistersObject object(steps, initial_);
    const Linearization found = parts.search(parts.spans(part), object);
    parts.add(part, found, [&] { return explain(object, found.state, steps[found.stuck]); });
  }

  std::string explain(const RegistersObject& object, std::uint64_t state, const Steps& stuck) const {
    std::string held;
    for (const MicroOperation& step : stuck)
      held += fmt::format("{}{} = {}", held.empty() ? "" : ", ", history_.format(step.key),
                          history_.format(object.held(state, step.key)));
    const char* hint = state == 0 ? " (if registers start with another value: --initial)" : "";
    return fmt::format("the registers hold {}{}", held, hint);
  }

  const ClientHistory& history_;
  const ModelOptions& options_;
  Value initial_;
};

}  // namespace

ModelResult check_multi_register(const ClientHistory& history, const ModelOptions& options) {
  return MultiRegister(history, options).check();
}

}  // namespace serval
