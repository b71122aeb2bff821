#pragma once
// What the user lets a check assume about the database: --assume and --transaction-order.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serval/evidence/order_basis.h"
#include "serval/history/history.h"

namespace serval::cli {

OrderBasis choose_assumption(std::string_view name);  // Throws UsageError with the nearest names.

// The id of a transaction in the file, and its position in the commit order.
struct PlaceOfTransaction {
  std::string label;
  std::int64_t place;
};
std::vector<PlaceOfTransaction> parse_transaction_order(std::string_view text);  // "0=2,1=1"

// Indexed by transaction, as in VersionHints; empty without places. Throws UsageError for an id that is
// unknown or ambiguous.
std::vector<std::int64_t> places_of(const History& history, const std::vector<PlaceOfTransaction>& places);

}  // namespace serval::cli
