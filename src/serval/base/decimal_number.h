#pragma once
// Whether a text is a decimal number, with optional fraction and exponent: -7, 2.50, 1e-3.

#include <string_view>

namespace serval {

bool is_decimal_number(std::string_view text);

}  // namespace serval
