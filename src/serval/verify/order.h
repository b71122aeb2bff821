#pragma once
// Re-proves that one version of a key comes before another on an assumption, from the raw operations: that
// the cited operations saw or wrote those versions, and that the assumption orders them (version_precedence.h
// says how).

#include "serval/evidence/version_precedence.h"
#include "serval/verify/facts.h"
#include "serval/verify/violation.h"

namespace serval::verify {

[[nodiscard]] Flaw flaw_of_precedence(const Facts& facts, KeyId key, const VersionPrecedence& claim);

}  // namespace serval::verify
