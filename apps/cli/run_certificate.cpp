#include "run_certificate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval::cli {
namespace {

std::string drivers_with_certificates() {
  std::string names;
  for (const DriverInfo& driver : all_drivers())
    if (!driver.certificate.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", driver.name);
  return names;
}

std::string story_of(const CertificateCounts& counts, Recovery::Order order, double seconds) {
  std::string line = order == Recovery::Order::Logged
                         ? fmt::format("{} versions by {} transactions", counts.versions, counts.transactions)
                         : "the sessions recorded the timestamps that order the versions";
  line += fmt::format("   {:.2f} s", seconds);
  if (counts.committed + counts.aborted + counts.unsettled > 0)
    line += fmt::format("   of the indeterminate {} committed, {} aborted, {} not known", counts.committed,
                        counts.aborted, counts.unsettled);
  return line;
}

// What the sessions recorded needs nothing else, unless the outcome of a transaction is not known.
bool needs_reading(const Recovery& recovery, const std::vector<LedgerEntry>& ledger) {
  return recovery.order() == Recovery::Order::Logged ||
         std::ranges::find(ledger, Outcome::Indeterminate, &LedgerEntry::outcome) != ledger.end();
}

}  // namespace

CertificateWish certificate_wish(const RunFlags& flags, const Workload& workload) {
  const DriverInfo& driver = driver_of(flags.address);
  if (flags.certificate && flags.no_certificate)
    throw UsageError("--certificate and --no-certificate cannot be combined");
  if (flags.certificate && driver.certificate.empty())
    throw UsageError(fmt::format("no certificate can be recovered from {}", driver.name),
                     "supported by: " + drivers_with_certificates());
  if (flags.certificate) return CertificateWish::Asked;
  const bool judged_by_mirror_alone = flags.live && !flags.checks;
  if (!workload.info->needs_ranges || driver.certificate.empty() || flags.no_certificate ||
      judged_by_mirror_alone)
    return CertificateWish::None;
  return CertificateWish::WherePossible;
}

std::string why_no_certificate(const RunFlags& flags, const Workload& workload) {
  if (!workload.info->needs_ranges || !flags.checks) return {};
  const DriverInfo& driver = driver_of(flags.address);
  if (driver.certificate.empty()) return fmt::format("{} does not provide one", driver.name);
  return flags.no_certificate ? "--no-certificate" : "";
}

RecoveredLines recover_lines(Recovery& recovery, const Schema& schema, std::vector<LedgerEntry> ledger) {
  RecoveredLines out;
  const auto start = std::chrono::steady_clock::now();
  const bool reads = needs_reading(recovery, ledger);
  CertificateLines lines(schema, std::move(ledger));
  try {
    if (reads) recovery.read([&](const LoggedTransaction& logged) { lines.add(logged); });
  } catch (const DatabaseError& error) {
    out.notice =
        fmt::format("the certificate is lost, so the recording is judged without it: {}", error.what());
    return out;
  }
  out.lines = lines.finish(recovery.order());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  out.story = story_of(lines.counts(), recovery.order(), taken.count());
  if (lines.counts().foreign_transactions > 0)
    out.notice = fmt::format(
        "{} transactions of other programs wrote to the tables; the orders of their keys are incomplete",
        lines.counts().foreign_transactions);
  return out;
}

}  // namespace serval::cli
