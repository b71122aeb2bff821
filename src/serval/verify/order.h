#pragma once
// Re-proves from the raw operations that one version of a key precedes another under an assumption: the
// cited operations saw or wrote those versions, and the assumption orders them (version_precedence.h
// says how).

#include "serval/evidence/version_precedence.h"
#include "serval/verify/facts.h"
#include "serval/verify/violation.h"

namespace serval::verify {

[[nodiscard]] Flaw flaw_of_precedence(const Facts& facts, KeyId key, const VersionPrecedence& claim);

}  // namespace serval::verify
