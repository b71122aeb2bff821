#pragma once
// A profile from the schedules of `serval probe` (Hermitage): it promises what they showed, and nothing
// else.
//
//   ProbeFindings findings{.database = "mydb", .isolation = "high"};
//   findings.anomalies["G0"] = {.prevented = true, .waited_at = 3};
//   const ProbedProfile probed = profile_of(findings);
//   write_profile(probed.profile, probed.remarks)
//
// A schedule that ended without an anomaly does not prove that the anomaly is impossible. The remarks say
// for every key what was seen, or that it was not probed.

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "serval/online/profile_file.h"

namespace serval::online {

struct ProbedAnomaly {
  bool prevented = false;
  bool happens = false;                  // Neither: it was not probed.
  bool waited = false;                   // Some client had to wait,
  std::optional<std::size_t> waited_at;  // from this step on until another transaction ended.
  bool refused = false;                  // A transaction failed for any reason,
  bool conflict = false;                 // namely because of a serialization conflict.
};

struct ProbeFindings {
  std::string database, isolation;
  std::map<std::string, ProbedAnomaly, std::less<>> anomalies;  // By name: "G0", "G-single", ...
  bool current = false;  // All transactions that began afterwards saw what had been committed.
};

struct ProbedProfile {
  Profile profile;
  ProfileRemarks remarks;
};

ProbedProfile profile_of(const ProbeFindings& findings);

}  // namespace serval::online
