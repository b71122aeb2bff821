#pragma once
// Lossy lines of a conversion which say that only names were lost, or that the same thing is spelled
// differently. A history that loses nothing else keeps every verdict. Every loss that may change a
// verdict has a line of its own, which is not listed here.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

inline bool is_harmless(std::string_view loss) {
  constexpr std::array<std::string_view, 18> kHarmless{
      "values replaced by numbers",
      "values replaced by the numbers of their writes",
      "keys replaced by",
      "labels of",
      "sessions renumbered",
      "transactions renumbered",
      "sessions without transactions left out",
      "facts of the header dropped",
      "conditional operations split into a read and a write",
      "refused conditional operations written as reads",
      "reads without an answer left out",
      "transactions without a plain read or write left out",
      "numbered the sessions",
      " inserts as a read of nil and a write",
      " conditional operations that were refused as plain reads",
      " compare-and-sets inside larger transactions as a read and a write",
      " reads of committed transactions whose answer is unknown",
      "replaced the labels of ",
  };
  return std::ranges::any_of(kHarmless,
                             [&](std::string_view words) { return loss.find(words) != loss.npos; });
}

inline bool keeps_verdicts(const WriteReport& report) {
  return std::ranges::all_of(report.lossy_steps, is_harmless);
}

}  // namespace serval
