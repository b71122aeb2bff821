#pragma once
// An order of two versions that rests on an assumption, as inference finds it again.

#include "serval/inference/footprint.h"
#include "serval/inference/version_precedence.h"

namespace serval {

struct HintedVersions {
  VersionId earlier, later;
  VersionPrecedence reason;
};

}  // namespace serval
