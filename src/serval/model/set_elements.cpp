#include "serval/model/set_elements.h"

#include <algorithm>

namespace serval {
namespace {

// Success before loss before failure, then the earlier one.
bool tells_more(const ClientOperation& one, const ClientOperation& other) {
  if (one.ending != other.ending) return one.ok() || (one.lost() && other.failed());
  return one.ok() && one.ended < other.ended;
}

}  // namespace

SetElements::SetElements(const ClientHistory& history) {
  const std::vector<ClientOperation>& operations = history.operations();
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const ClientOperation& operation = operations[i];
    if (history.function(operation) != "add") continue;
    const Value value = history.value(*operation.argument);
    const auto [place, is_new] = places_.try_emplace(value, static_cast<std::uint32_t>(elements_.size()));
    if (is_new) elements_.push_back({.value = value, .add = i});
    SetElement& element = elements_[place->second];
    if (tells_more(operation, operations[element.add])) element.add = i;
    if (operation.failed()) continue;
    element.only_failed = false;
    element.began = std::min(element.began, operation.began);
    if (operation.ok()) element.added_at = std::min(element.added_at, operation.ended);
  }
}

const SetElement* SetElements::find(Value value) const {
  const auto place = places_.find(value);
  return place == places_.end() ? nullptr : &elements_[place->second];
}

std::span<const FormValue> read_elements(const ClientHistory& history, const ClientOperation& read) {
  if (!is_list(*read.result) && !is_set(*read.result))
    throw history.error(read, "expected a list or a set of the elements read, [1 2] or #{1 2}");
  return read.result->parts;
}

}  // namespace serval
