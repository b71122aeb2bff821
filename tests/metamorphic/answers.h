#pragma once
// What check says about a history at every level, each verdict re-proved, and the contradictions in it.

#include <array>
#include <string>

#include "serval/check/check.h"

namespace serval::metamorphic {

enum class Answer : std::uint8_t { Undecided, Holds, Violated };

struct Answers {
  std::array<Answer, 32> by_level{};
  std::string flaw;  // Evidence that does not stand, or a level that holds without one that it implies.

  Answer at(Level level) const { return by_level[static_cast<std::size_t>(level)]; }
};

Answer answer_of(const Verdict& verdict);
// The verdict, re-proved; adds to `flaw` where it is not.
Answer proved(const History& history, Level level, const CheckOptions& options, std::string& flaw);
Answers answers_of(const History& history, const CheckOptions& options = {});
// survey() instead of a check for each level.
Answers surveyed(const History& history);

// A certificate may show that a transaction looked outside its snapshot although a serial order explains all
// that it saw (decision 011). So by certificates serializable implies none of the snapshot levels.
Answers without_snapshot_levels(Answers answers);

// Empty, or the first level that holds in one and is violated in the other.
std::string contradiction(const Answers& one, const Answers& other);
// Empty, or the first level that holds in `more` and is violated in `less`, which asks for less.
std::string lost(const Answers& more, const Answers& less);

}  // namespace serval::metamorphic
