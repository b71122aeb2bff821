#include "probe_profile.h"

#include <algorithm>

#include "serval/online/probed_profile.h"

namespace serval::cli {
namespace {

online::ProbedAnomaly probed(const ProbeCell& cell) {
  return {.prevented = cell.result == ProbeCell::Result::Prevented,
          .happens = cell.result == ProbeCell::Result::Happens || cell.result == ProbeCell::Result::Blocked,
          .waited = cell.waited,
          .waited_at = cell.waited_at,
          .refused = cell.refused.has_value(),
          .conflict = cell.refused == FailureCause::Serialization};
}

online::ProbeFindings findings_of(const ProbeRow& row, ProbedNodes nodes) {
  const auto database = row.facts.find("database");
  online::ProbeFindings out{.database = database == row.facts.end() ? "" : database->second,
                            .isolation = row.isolation};
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    out.anomalies.emplace(all_probe_anomalies()[i].name, probed(row.cells[i]));
  for (std::size_t i = 0; i < row.more.size(); ++i)
    out.anomalies.emplace(mechanism_probes()[i].name, probed(row.more[i]));
  out.current = nodes == ProbedNodes::One && std::ranges::all_of(row.cells, &ProbeCell::finally_current);
  return out;
}

}  // namespace

std::string probed_profile_text(const ProbeRow& row, ProbedNodes nodes) {
  const online::ProbedProfile probed = online::profile_of(findings_of(row, nodes));
  return online::write_profile(probed.profile, probed.remarks);
}

}  // namespace serval::cli
