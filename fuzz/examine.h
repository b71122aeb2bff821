#pragma once
// Everything that is done with a history once it was read, and what must hold then:
//
//   E1  every verdict is re-proved by verify_witness;
//   E2  no level is both proven and refuted, whichever engine is asked;
//   E3  what is written in a format can be read back, and has the same verdicts where nothing but names was
//       said to be lost;
//   E4  reports, statistics and lint come to an end.
//
// Throws Defect. Searches have a small budget.

#include <cstdint>

#include "serval/history/history.h"

namespace serval::fuzz {

// `choice` picks the engine, the level, the assumption, the profile and the formats that are tried beside
// the survey.
void examine(const History& history, std::uint64_t choice);

}  // namespace serval::fuzz
