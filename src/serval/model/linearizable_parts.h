#pragma once
// Shared by the models of single objects: one search per part, one result for all. Linearizability is
// local (Herlihy & Wing 1990): a history is linearizable exactly if its parts, one per object, all are.

#include <cstdint>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "serval/model/findings.h"
#include "serval/model/linearization_search.h"

namespace serval {

// The operations of one object that count, by begin.
struct ObjectPart {
  std::string name;                       // Of the key; empty if there is only one object.
  std::vector<std::uint32_t> operations;  // Positions in ClientHistory::operations().
};

// For the kind_of() of an object: equal keys of operations have equal numbers, from 0.
template <class Operations, class KeyOf>
std::vector<std::uint32_t> kinds_by(const Operations& operations, const KeyOf& key_of) {
  absl::flat_hash_map<decltype(key_of(operations[0])), std::uint32_t> numbers;
  std::vector<std::uint32_t> kinds;
  kinds.reserve(operations.size());
  for (const auto& one : operations)
    kinds.push_back(
        numbers.try_emplace(key_of(one), static_cast<std::uint32_t>(numbers.size())).first->second);
  return kinds;
}

class LinearizableParts {
 public:
  LinearizableParts(const ClientHistory& history, const ModelOptions& options)
      : history_(history),
        findings_(options),
        budget_(options.budget != nullptr ? *options.budget : unlimited_) {}

  // Where the operations of a part begin and end. Throws InputError if one has no invocation.
  std::vector<CallSpan> spans(const ObjectPart& part) const {
    std::vector<CallSpan> spans;
    spans.reserve(part.operations.size());
    for (const std::uint32_t i : part.operations) {
      const ClientOperation& operation = history_.operations()[i];
      history_.require_begin(operation);
      spans.push_back({operation.began, operation.lost() ? CallSpan::kNever : operation.ended});
    }
    return spans;
  }

  // Searches one part; `object` interprets its operations, numbered as in `spans`.
  template <class Object>
  Linearization search(std::span<const CallSpan> spans, Object& object) {
    Linearization found = LinearizationSearch<Object>(spans, object, budget_).run();
    configurations_ += found.configurations;
    return found;
  }

  // Records the result for one part. `explain()` says why found.stuck does not fit.
  template <class Explain>
  void add(const ObjectPart& part, const Linearization& found, Explain&& explain) {
    LinearizedPart& out = parts_.emplace_back();
    out.name = part.name;
    for (const std::uint32_t i : found.order) out.order.push_back(part.operations[i]);
    if (found.complete) return;
    out.stuck = part.operations[found.stuck];
    findings_.add("not-linearizable", {out.stuck}, {}, [&] {
      const std::string where = part.name.empty() ? "" : fmt::format("key {}: ", part.name);
      return fmt::format("{}{} operations can be ordered, then this one does not fit: {}", where,
                         out.order.size(), explain());
    });
  }

  ModelResult finish() && {
    findings_.fact("objects", parts_.size());
    findings_.fact("configurations", configurations_);
    ModelResult result = std::move(findings_).finish({});
    result.parts = std::move(parts_);
    return result;
  }

 private:
  const ClientHistory& history_;
  Findings findings_;
  Budget unlimited_ = Budget::unlimited();
  Budget& budget_;
  std::vector<LinearizedPart> parts_;
  std::uint64_t configurations_ = 0;
};

}  // namespace serval
