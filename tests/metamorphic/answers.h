#pragma once
// The verdicts of check() on a history at every level, each re-proved, and the contradictions between
// them.

#include <array>
#include <string>

#include "serval/check/check.h"

namespace serval::metamorphic {

enum class Answer : std::uint8_t { Undecided, Holds, Violated };

struct Answers {
  std::array<Answer, 32> by_level{};
  // Evidence that does not stand, or a level that holds although one that it implies does not.
  std::string flaw;

  Answer at(Level level) const { return by_level[static_cast<std::size_t>(level)]; }
};

Answer answer_of(const Verdict& verdict);
// The verdict after re-proving it; adds to `flaw` if that fails.
Answer proved(const History& history, Level level, const CheckOptions& options, std::string& flaw);
Answers answers_of(const History& history, const CheckOptions& options = {});
// Uses survey() instead of one check per level.
Answers surveyed(const History& history);

// A certificate may show that a transaction read outside its snapshot although a serial order explains
// everything that it saw (decision 011). So with certificates, serializable does not imply the snapshot
// levels.
Answers without_snapshot_levels(Answers answers);

// Empty, or the first level that holds in one and is violated in the other.
std::string contradiction(const Answers& one, const Answers& other);
// Empty, or the first level that holds in `more` and is violated in `less`, which requires less.
std::string lost(const Answers& more, const Answers& less);

}  // namespace serval::metamorphic
