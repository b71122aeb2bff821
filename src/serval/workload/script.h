#pragma once
// A transaction as its client plays it: each request may depend on the answers before it.
//
//   while (std::optional<Request> request = script->next()) {
//     request->tag = next_tag();                      // Unique in the run; left to whoever executes.
//     script->hear(*request, client.perform(*request));
//   }

#include <memory>
#include <optional>
#include <unordered_map>

#include "serval/workload/request.h"
#include "serval/workload/transaction_plan.h"

namespace serval {

class Script {
 public:
  virtual ~Script() = default;
  virtual std::optional<Request> next() = 0;  // Nothing: the transaction is done.
  virtual void hear(const Request& asked, const Answer& answer) = 0;
  virtual bool aborts() const = 0;  // Roll back instead of committing; asked when it is done.
};

// What a client last saw or wrote of a key; keys it has never met are absent.
using KnownTags = std::unordered_map<std::uint64_t, std::int64_t>;

// Plays a plan, whose requests depend on nothing: table 0, one request an operation. A compare-and-set
// expects the tag that `known` has for its key and becomes an insert where it has none; answers are noted in
// `known`.
std::unique_ptr<Script> play(TransactionPlan plan, KnownTags& known);

}  // namespace serval
