#pragma once
// A history with what its version certificate implies, computed once for all levels.
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
  CertifiedHistory(const History& history, Budget& budget) : history_(history), versions_(history, budget) {
    problem_ = versions_.problem();
    if (!problem_.empty()) return;
    visibility_.emplace(history, versions_);
    problem_ = visibility_->problem();
    if (!problem_.empty()) return;
    matching_.emplace(history, versions_, budget);
    problem_ = matching_->problem();
    if (!problem_.empty()) return;
    reads_.emplace(history, versions_, *visibility_, *matching_, budget);
    problem_ = reads_->problem();
  }
  CertifiedHistory(const CertifiedHistory&) = delete;  // Its parts refer to each other.
  CertifiedHistory& operator=(const CertifiedHistory&) = delete;

  // Why the certificate does not determine what happened; empty if it does. A predicate that is
  // undefined for some version is noticed only when that version is examined, so check again afterwards.
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
