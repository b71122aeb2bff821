#pragma once
// Everything that is done with a history once it is read, and what must then hold:
//
//   E1  verify_witness re-proves every verdict;
//   E2  no level is both proven and refuted, whichever engine is used;
//   E3  what is written in a format can be read back, and has the same verdicts if only names were reported
//       as lost;
//   E4  reports, statistics and lint terminate.
//
// Throws Defect. Searches have a small budget.

#include <cstdint>

#include "serval/history/history.h"

namespace serval::fuzz {

// `choice` selects the engine, the level, the assumption, the profile and the formats that are tried in
// addition to the survey.
void examine(const History& history, std::uint64_t choice);

}  // namespace serval::fuzz
