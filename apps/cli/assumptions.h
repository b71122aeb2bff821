#pragma once
// What a person lets a check trust the database for: --assume and --transaction-order.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serval/evidence/order_basis.h"
#include "serval/history/history.h"

namespace serval::cli {

OrderBasis choose_assumption(std::string_view name);  // Throws UsageError with the nearest names.

// A transaction by its id in the file, and its place in the order of commits.
struct PlaceOfTransaction {
  std::string label;
  std::int64_t place;
};
std::vector<PlaceOfTransaction> parse_transaction_order(std::string_view text);  // "0=2,1=1"

// By transaction, as VersionHints wants it; empty without places. Throws UsageError for an id that no
// transaction, or more than one, has.
std::vector<std::int64_t> places_of(const History& history, const std::vector<PlaceOfTransaction>& places);

}  // namespace serval::cli
