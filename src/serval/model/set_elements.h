#pragma once
// The elements that clients tried to add to a set, for the two set models.

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/model/client_history.h"

namespace serval {

struct SetElement {
  Value value;
  std::uint32_t add =
      0;  // The first successful addition; otherwise the first that did not fail; otherwise the first.
  std::uint32_t began =
      ClientOperation::kNever;  // Position where the first addition that did not fail began.
  std::uint32_t added_at = ClientOperation::kNever;  // Position where the first addition succeeded.
  bool only_failed = true;
};

class SetElements {
 public:
  explicit SetElements(const ClientHistory& history);

  const std::vector<SetElement>& all() const { return elements_; }  // By first addition.
  const SetElement* find(Value value) const;                        // Null if it was never added.

 private:
  std::vector<SetElement> elements_;
  absl::flat_hash_map<Value, std::uint32_t> places_;
};

// The elements that a successful read returned. Throws InputError unless it is a list or a set.
std::span<const FormValue> read_elements(const ClientHistory& history, const ClientOperation& read);

}  // namespace serval
