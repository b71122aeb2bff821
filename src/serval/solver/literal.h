#pragma once
// A boolean variable or its negation: Literal{2 * variable} asserts it, Literal{2 * variable + 1}
// negates it.

#include <compare>
#include <cstdint>

namespace serval {

struct Literal {
  std::uint32_t code = 0;

  constexpr std::uint32_t variable() const noexcept { return code / 2; }
  constexpr bool negative() const noexcept { return code % 2 != 0; }
  constexpr Literal operator!() const noexcept { return {code ^ 1u}; }
  friend constexpr auto operator<=>(Literal, Literal) = default;
};

}  // namespace serval
