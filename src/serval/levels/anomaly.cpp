#include "serval/levels/anomaly.h"

#include <algorithm>
#include <string>

#include "serval/base/contract.h"
#include "serval/base/folded_name.h"
#include "serval/levels/anomaly_table.h"

namespace serval {
namespace {

const std::vector<AnomalyInfo>& table() {
  static const std::vector<AnomalyInfo> anomalies = [] {
    std::vector<AnomalyInfo> rows;
    for (auto* part : {read_anomalies, version_anomalies, half_seen_cycles, shaped_cycles,
                       session_shaped_cycles, data_cycles, session_cycles, real_time_cycles, predicate_cycles,
                       certified_anomalies, missing_orders, broken_orders, broken_chains})
      for (AnomalyInfo& row : part()) rows.push_back(std::move(row));
    for (std::size_t i = 0; i < rows.size(); ++i)
      expects(static_cast<std::size_t>(rows[i].kind) == i,
              "the rows of the anomaly table are in the order of the enumeration");
    expects(rows.size() == kAnomalyCount, "one row per anomaly");
    return rows;
  }();
  return anomalies;
}

CycleClass cycle_class_of(const CycleShape& shape) {
  if (shape.adjacent_read_writes) return CycleClass::AntiDependency;
  if (shape.read_write > 1) return CycleClass::NonAdjacent;
  if (shape.read_write == 1) return CycleClass::Single;
  return shape.write_read > 0 ? CycleClass::InformationFlow : CycleClass::DirtyWrite;
}

}  // namespace

std::span<const AnomalyInfo> all_anomalies() { return table(); }

const AnomalyInfo& info(AnomalyKind kind) { return table().at(static_cast<std::size_t>(kind)); }

std::string_view name_of(AnomalyKind kind) { return info(kind).name; }

std::optional<AnomalyKind> find_anomaly(std::string_view name) {
  const std::string wanted = folded_name(name);
  if (wanted.empty()) return std::nullopt;
  std::optional<AnomalyKind> by_class;  // Classes come after shapes, so the last match is the class.
  for (const AnomalyInfo& row : table()) {
    const auto matches = [&wanted](std::string_view other) { return folded_name(other) == wanted; };
    if (matches(row.name) || std::ranges::any_of(row.aliases, matches)) return row.kind;
    if (matches(row.adya)) by_class = row.kind;
  }
  return by_class;
}

bool forbids(Level level, AnomalyKind kind) {
  if (concerns_claimed_snapshots(kind) && implies(level, Level::Serializable)) return false;
  return std::ranges::any_of(info(kind).forbidden_by,
                             [level](Level weakest) { return implies(level, weakest); });
}

AnomalyKind kind_of(CycleClass cycle_class, CycleVariant variant) {
  constexpr int kClasses = 5;
  const int first = static_cast<int>(AnomalyKind::DirtyWrite) + kClasses * static_cast<int>(variant);
  return static_cast<AnomalyKind>(first + static_cast<int>(cycle_class));
}

bool needs_certificate(AnomalyKind kind) {
  return kind == AnomalyKind::ResultSetMismatch ||
         (kind >= AnomalyKind::Phantom && kind <= AnomalyKind::OutsideSnapshot);
}

bool concerns_claimed_snapshots(AnomalyKind kind) {
  return kind == AnomalyKind::OutsideSnapshot || kind == AnomalyKind::BrokenSnapshots;
}

bool needs_expected_order(AnomalyKind kind) {
  return kind >= AnomalyKind::BrokenOrder && kind <= AnomalyKind::BrokenSnapshots;
}

bool needs_predicates(AnomalyKind kind) {
  return kind == AnomalyKind::PhantomRead || needs_certificate(kind);
}

AnomalyKind class_of(const CycleShape& shape) {
  const CycleVariant variant = shape.real_time > 0 ? CycleVariant::RealTime
                               : shape.session > 0 ? CycleVariant::Session
                                                   : CycleVariant::Data;
  const CycleClass cycle_class = cycle_class_of(shape);
  if (!shape.predicate_read_writes) return kind_of(cycle_class, variant);
  constexpr int kClasses = 3;
  const int first = static_cast<int>(AnomalyKind::Phantom) + kClasses * static_cast<int>(variant);
  return static_cast<AnomalyKind>(first + static_cast<int>(cycle_class) -
                                  static_cast<int>(CycleClass::Single));
}

}  // namespace serval
