#pragma once
// The version certificate of a run (docs/certificates.md): whether to record one, and its recovery at the
// end.
//
// The result of a range does not show every version that it examined. A workload with ranges therefore
// records a certificate if the database can provide one, unless the user declines it. If none is
// available, the run says so at the start and continues, unless the user requested one.

#include <memory>
#include <string>

#include "run_command.h"
#include "serval/database/certificate_lines.h"
#include "serval/database/database.h"
#include "serval/recording/recorder.h"
#include "serval/workload/workload.h"

namespace serval::cli {

enum class CertificateWish { None, WherePossible, Asked };

// Throws UsageError if one is requested that the driver cannot provide.
CertificateWish certificate_wish(const RunFlags& flags, const Workload& workload);

// Why a run over ranges has no certificate; else empty.
std::string why_no_certificate(const RunFlags& flags, const Workload& workload);

struct RecoveredLines {
  std::string lines;   // To append to the recording.
  std::string story;   // "12 versions by 7 transactions   0.02 s", or empty.
  std::string notice;  // What is missing; empty if nothing.
};
// Call it when the sessions have ended. A lost certificate, for example with its server, is only a
// notice.
RecoveredLines recover_lines(Recovery& recovery, const Schema& schema, std::vector<LedgerEntry> ledger);

}  // namespace serval::cli
