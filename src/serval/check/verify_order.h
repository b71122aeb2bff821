#pragma once
// Re-proves that one version of a key comes before another on an assumption, from the raw operations: that
// the cited operations saw or wrote those versions, and that the assumption orders them (version_precedence.h
// says how).

#include "serval/check/verify_facts.h"
#include "serval/check/verify_violation.h"
#include "serval/inference/version_precedence.h"

namespace serval::verify {

[[nodiscard]] Flaw flaw_of_precedence(const Facts& facts, KeyId key, const VersionPrecedence& claim);

}  // namespace serval::verify
