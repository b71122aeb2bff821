#pragma once
// Damages files as accidents and malice do: bytes are flipped; pieces are cut, doubled, moved or taken
// from another file; numbers are made extreme.
//
//   const std::string damaged = mutated(bytes, other_bytes, random);

#include <string>
#include <string_view>

#include "serval/base/random.h"

namespace serval::fuzz {

// Makes one to four changes. `other` provides pieces.
std::string mutated(std::string bytes, std::string_view other, Random& random);

}  // namespace serval::fuzz
