#pragma once
// The referee of certificates: every dependency of a history by the definitions (Adya 1999; Emme,
// algorithms 1 to 3), each predicate against each version, O(P * W) and worse, and the graph's cycles
// by trying all walks. Shares nothing with the engine. For histories whose values name their versions,
// with complete orders and a version set for every predicate operation.

#include "serval/history/history.h"
#include "serval/levels/level.h"

namespace serval::oracle {

// Whether the level holds by the certificate.
bool holds_by_certificate(const History& history, Level level);

// Whether some serial order, kept or not by the certificate, explains every answer: all orders are tried.
// `sessions`: only those that keep session order. At most 8 transactions.
bool some_serial_order_exists(const History& history, bool sessions);

}  // namespace serval::oracle
