#pragma once
// Files as accidents and malice leave them: bytes flipped, pieces cut, doubled, moved or taken from another
// file, numbers made extreme.
//
//   const std::string damaged = mutated(bytes, other_bytes, random);

#include <string>
#include <string_view>

#include "serval/base/random.h"

namespace serval::fuzz {

// One to four changes. `other` lends pieces.
std::string mutated(std::string bytes, std::string_view other, Random& random);

}  // namespace serval::fuzz
