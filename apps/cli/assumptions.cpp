#include "assumptions.h"

#include <charconv>
#include <map>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/base/nearest_names.h"
#include "serval/inference/version_hints.h"

namespace serval::cli {
namespace {

PlaceOfTransaction parse_place(std::string_view item) {
  const std::size_t equals = item.rfind('=');
  PlaceOfTransaction parsed{std::string(item.substr(0, equals)), 0};
  const std::string_view number = equals == std::string_view::npos ? "" : item.substr(equals + 1);
  const auto [past, error] = std::from_chars(number.data(), number.data() + number.size(), parsed.place);
  if (parsed.label.empty() || error != std::errc{} || past != number.data() + number.size())
    throw UsageError(fmt::format("--transaction-order: \"{}\" is not of the form id=number", item),
                     "for example --transaction-order 0=2,1=1");
  return parsed;
}

}  // namespace

OrderBasis choose_assumption(std::string_view name) {
  if (const std::optional<OrderBasis> basis = find_assumption(name)) return *basis;
  std::vector<std::string_view> names;
  names.reserve(std::size(kAssumableBases));
  for (const OrderBasis basis : kAssumableBases) names.push_back(name_of(basis));
  throw UsageError(fmt::format("--assume does not accept \"{}\"", name), did_you_mean(name, names));
}

std::vector<PlaceOfTransaction> parse_transaction_order(std::string_view text) {
  std::vector<PlaceOfTransaction> places;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    places.push_back(parse_place(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return places;
}

std::vector<std::int64_t> places_of(const History& history, const std::vector<PlaceOfTransaction>& places) {
  if (places.empty()) return {};
  std::multimap<std::string, TransactionId> labelled;
  for (const TransactionId t : history.transactions()) labelled.emplace(history.format(history.label(t)), t);
  std::vector<std::int64_t> order(history.transaction_count(), VersionHints::kNoPosition);
  for (const PlaceOfTransaction& place : places) {
    const auto [first, last] = labelled.equal_range(place.label);
    if (first == last || std::next(first) != last)
      throw UsageError(fmt::format("--transaction-order: {} has the id {}",
                                   first == last ? "no transaction" : "more than one transaction",
                                   place.label));
    order[first->second.index] = place.place;
  }
  return order;
}

}  // namespace serval::cli
