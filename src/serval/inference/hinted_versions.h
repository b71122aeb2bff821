#pragma once
// An order of two versions that rests on an assumption, as inference finds it again.

#include "serval/evidence/version_precedence.h"
#include "serval/inference/read_write_sets.h"

namespace serval {

struct HintedVersions {
  VersionId earlier, later;
  VersionPrecedence reason;
};

}  // namespace serval
