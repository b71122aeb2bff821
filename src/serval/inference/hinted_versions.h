#pragma once
// An order of two versions that rests on an assumption, in the form used by inference.

#include "serval/evidence/version_precedence.h"
#include "serval/inference/read_write_sets.h"

namespace serval {

struct HintedVersions {
  VersionId earlier, later;
  VersionPrecedence reason;
};

}  // namespace serval
