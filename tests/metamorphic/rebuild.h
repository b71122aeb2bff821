#pragma once
// A history once more from its parts: its transactions listed in another order, with or without its version
// certificate.

#include <vector>

#include "serval/history/history.h"

namespace serval::metamorphic {

enum class Certificates : std::uint8_t { Keep, Drop };

// `order` has every transaction once, those of one session in their order.
History rebuilt(const History& history, const std::vector<TransactionId>& order, Certificates certificates);

}  // namespace serval::metamorphic
