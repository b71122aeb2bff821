#pragma once
// A history and what its version certificate says of it, once for all levels.
//
//   const CertifiedHistory certified(history, budget);
//   if (certified.problem().empty()) certified.reads().faults()

#include <optional>
#include <string>

#include "serval/check/certificate/certified_reads.h"
#include "serval/check/certificate/certified_versions.h"
#include "serval/check/certificate/matching.h"
#include "serval/check/certificate/version_visibility.h"

namespace serval {

class CertifiedHistory {
 public:
  CertifiedHistory(const History& history, Budget& budget);
  CertifiedHistory(const CertifiedHistory&) = delete;  // Its parts know each other.
  CertifiedHistory& operator=(const CertifiedHistory&) = delete;

  // Why the certificate does not settle what happened, in words; empty: it does. A predicate that is not
  // defined for some version shows only when it is asked about that one, so ask for it again after a check.
  const std::string& problem() const noexcept {
    return problem_.empty() && matching_ ? matching_->problem() : problem_;
  }

  const History& history() const noexcept { return history_; }
  const CertifiedVersions& versions() const noexcept { return versions_; }
  const VersionVisibility& visibility() const { return *visibility_; }
  const CertifiedReads& reads() const { return *reads_; }

 private:
  const History& history_;
  CertifiedVersions versions_;
  std::optional<VersionVisibility> visibility_;
  std::optional<Matching> matching_;
  std::optional<CertifiedReads> reads_;
  std::string problem_;
};

}  // namespace serval
