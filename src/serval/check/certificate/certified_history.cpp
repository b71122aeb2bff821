#include "serval/check/certificate/certified_history.h"

namespace serval {

CertifiedHistory::CertifiedHistory(const History& history, Budget& budget)
    : history_(history), versions_(history, budget) {
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

}  // namespace serval
