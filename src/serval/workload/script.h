#pragma once
// A transaction in which each request may depend on the responses before it.
//
//   while (std::optional<Request> request = script->next()) {
//     request->tag = next_tag();                      // Unique in the run; chosen by the caller.
//     script->complete(*request, client.perform(*request));
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
  virtual std::optional<Request> next() = 0;  // None: the transaction is done.
  virtual void complete(const Request& request, const Answer& answer) = 0;
  virtual bool aborts() const = 0;  // Roll back instead of committing. Valid when it is done.
};

// The tags that a client last saw or wrote by key; without keys that it has not used.
using KnownTags = std::unordered_map<std::uint64_t, std::int64_t>;

// Executes a plan, whose requests do not depend on responses: table 0, one request per operation. A
// compare-and-set expects the tag in `known` for its key and becomes an insert if there is none.
// Responses are stored in `known`.
std::unique_ptr<Script> play(TransactionPlan plan, KnownTags& known);

}  // namespace serval
