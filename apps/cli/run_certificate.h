#pragma once
// The version certificate of a run (docs/certificates.md): whether it is recorded, and its recovery at the
// end.
//
// Ranges leave open which versions they looked at, so a workload with ranges has a certificate wherever the
// database has one to give, unless somebody does not want it. Where it turns out to have none, the run goes
// on without, and says so before it begins; only one that was asked for must be there.

#include <memory>
#include <string>

#include "run_command.h"
#include "serval/database/certificate_lines.h"
#include "serval/database/database.h"
#include "serval/recording/recorder.h"
#include "serval/workload/workload.h"

namespace serval::cli {

enum class CertificateWish { None, WherePossible, Asked };

// Throws UsageError where one is asked for that cannot be.
CertificateWish certificate_wish(const RunFlags& flags, const Workload& workload);

// "no certificate: ...", for people, before a run over ranges that has none; else empty.
std::string why_no_certificate(const RunFlags& flags, const Workload& workload);

struct RecoveredLines {
  std::string lines;   // To end the recording with.
  std::string story;   // "12 versions by 7 transactions   0.02 s", or empty.
  std::string notice;  // What is missing, or empty.
};
// When the sessions have ended. A certificate that is lost, with its server say, is a notice.
RecoveredLines recover_lines(Recovery& recovery, const Schema& schema, std::vector<LedgerEntry> ledger);

}  // namespace serval::cli
