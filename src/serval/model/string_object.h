#pragma once
// A string with get, put and append, as an object for LinearizationSearch.
//
// Before the next put, only a string that some get returned, or a prefix of one, can matter; all others
// are one state, kHopeless. So concurrent appends that nobody saw cost their subsets, not their
// permutations. A state from which the next get to end can no longer obtain its result is abandoned at
// once.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/model/linearization_search.h"

namespace serval {

struct StringOperation {
  enum class Kind : std::uint8_t { Get, Put, Append };
  Kind kind = Kind::Get;
  std::string_view text;  // The text returned, put or appended.
};

class StringObject {
 public:
  StringObject(std::vector<StringOperation> operations, std::span<const CallSpan> spans);

  std::uint64_t initial() const { return initial_; }
  std::optional<std::uint64_t> apply(std::uint64_t state, std::uint32_t operation);
  bool observes_only(std::uint32_t operation) const {
    return operations_[operation].kind == StringOperation::Kind::Get;
  }
  bool hides(std::uint32_t later, std::uint32_t) const {
    return operations_[later].kind == StringOperation::Kind::Put;
  }
  std::uint32_t kind_of(std::uint32_t operation) const { return kinds_[operation]; }
  // Whether the waiting get that ends first can no longer return its result.
  bool is_hopeless(std::uint64_t state, const WaitingOperations& waiting) const;

 private:
  static constexpr std::uint64_t kHopeless = ~std::uint64_t{0};

  std::uint64_t state_of(std::string_view front, std::string_view back) const;
  std::string_view text_of(std::uint64_t state) const {
    return answers_.empty() ? "" : answers_[state >> 32].substr(0, state & 0xFFFFFFFFu);
  }

  std::vector<StringOperation> operations_;
  std::span<const CallSpan> spans_;
  std::vector<std::string_view> answers_;  // Results of all gets, sorted, without duplicates.
  // A state is the first result that starts with its string, and the length of the string.
  std::vector<std::uint64_t> own_states_;  // By operation: the state for its text.
  std::uint64_t initial_ = kHopeless;
  std::vector<std::uint32_t> kinds_;  // Equal for equal operations.
  std::vector<std::uint32_t> lost_puts_;
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> appended_;
};

}  // namespace serval
