#pragma once
// serval probe --write-profile: what a probe saw, as a profile for the mirror.

#include <string>

#include "serval/database/probe/probe.h"

namespace serval::cli {

// Each node may lag behind: with several, a read of one node says nothing about the others.
enum class ProbedNodes { One, Several };

// The text of the file.
std::string probed_profile_text(const ProbeRow& row, ProbedNodes nodes);

}  // namespace serval::cli
