#pragma once
// The reference for certificates: every dependency of a history by the definitions (Adya 1999; Emme,
// algorithms 1 to 3), each predicate against each version in O(P * W) or more, and the cycles of the
// graph by trying all walks. Shares nothing with the engine. Requires that values identify versions,
// orders are complete, and every predicate operation has a version set.

#include <array>

#include "serval/history/history.h"
#include "serval/levels/level.h"

namespace serval::oracle {

// The levels that the reference decides.
inline constexpr std::array kCertifiedLevels{Level::ReadUncommitted,
                                             Level::ReadCommitted,
                                             Level::RepeatableRead,
                                             Level::SnapshotIsolation,
                                             Level::StrongSessionSnapshotIsolation,
                                             Level::Serializable,
                                             Level::StrongSessionSerializable};

// Whether the level holds according to the certificate.
bool holds_by_certificate(const History& history, Level level);

// Whether some serial order explains every answer, whether or not the certificate agrees with it: all
// orders are tried. With `sessions`, only those that respect session order. At most 8 transactions.
bool some_serial_order_exists(const History& history, bool sessions);

}  // namespace serval::oracle
