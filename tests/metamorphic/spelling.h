#pragma once
// One draft, spelled in many ways: the names of keys, values, sessions and transactions have no meaning,
// and neither does the order in which sessions are listed.
//
//   const Spelling plain;                        // x, y, z; 0, 1, 2; s0, s1
//   const Spelling other = Spelling::any(random);
//   freeze(draft, plain), freeze(draft, other)   // The same history under other names.

#include "oracle/draft.h"
#include "serval/base/random.h"

namespace serval::metamorphic {

using oracle::Draft;
inline constexpr int kUnknown = -2;  // The unknown value in a draft; -1 is nil, 0 the initial value.

struct Spelling {
  // How a number becomes a name: unchanged, shifted, beyond 61 bits, as a word, as a decimal.
  enum class Style : std::uint8_t { Plain, Shifted, Huge, Word, Decimal };
  Style keys = Style::Word, values = Style::Plain, sessions = Style::Word, labels = Style::Plain;
  int offset = 0;  // Added to all of them.

  static Spelling any(Random& random);
};

History freeze(const Draft& draft, const Spelling& spelling);

}  // namespace serval::metamorphic
