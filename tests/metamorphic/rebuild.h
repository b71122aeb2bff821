#pragma once
// Rebuilds a history from its parts: with its transactions in another order, with or without its version
// certificate.

#include <vector>

#include "serval/history/history.h"

namespace serval::metamorphic {

enum class Certificates : std::uint8_t { Keep, Drop };

// `order` contains every transaction once, those of one session in session order.
History rebuilt(const History& history, const std::vector<TransactionId>& order, Certificates certificates);

}  // namespace serval::metamorphic
