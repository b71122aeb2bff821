#pragma once
// The elements that clients tried to add to a set, for the two models of sets.

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/model/client_history.h"

namespace serval {

struct SetElement {
  Value value;
  std::uint32_t add =
      0;  // The addition that succeeded first; else the first one that did not fail; else the first.
  std::uint32_t began =
      ClientOperation::kNever;  // Position where the first addition that did not fail began.
  std::uint32_t added_at = ClientOperation::kNever;  // Position where the first addition succeeded.
  bool only_failed = true;
};

class SetElements {
 public:
  explicit SetElements(const ClientHistory& history);

  const std::vector<SetElement>& all() const { return elements_; }  // By their first addition.
  const SetElement* find(Value value) const;                        // Null for one that was never added.

 private:
  std::vector<SetElement> elements_;
  absl::flat_hash_map<Value, std::uint32_t> places_;
};

// What a read that succeeded saw. Throws InputError unless it is a list or a set.
std::span<const FormValue> read_elements(const ClientHistory& history, const ClientOperation& read);

}  // namespace serval
