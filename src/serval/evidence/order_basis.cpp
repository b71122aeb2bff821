#include "serval/evidence/order_basis.h"

#include "serval/base/contract.h"
#include "serval/base/folded_name.h"

namespace serval {

std::string_view name_of(OrderBasis basis) {
  switch (basis) {
    case OrderBasis::Reads:
      return "reads";
    case OrderBasis::Versions:
      return "versions";
    case OrderBasis::CommitOrder:
      return "commit-order";
    case OrderBasis::SequentialKeys:
      return "sequential-keys";
    case OrderBasis::LinearizableKeys:
      return "linearizable-keys";
    case OrderBasis::Case:
      return "case";
    case OrderBasis::Certificate:
      return "certificate";
  }
  broken_contract("a basis of the table", __FILE__, __LINE__);
}

std::optional<OrderBasis> find_assumption(std::string_view name) {
  const std::string folded = folded_name(name);
  for (const OrderBasis basis : kAssumableBases)
    if (folded == folded_name(name_of(basis)) || folded == folded_name(name_of(basis)) + "?") return basis;
  return folded == folded_name("transaction-order") ? std::optional(OrderBasis::CommitOrder) : std::nullopt;
}

}  // namespace serval
