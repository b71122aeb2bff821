#pragma once
// Parses up to 18 decimal digits (the limit of an inline Value), eight at a time and without a branch per
// digit: finds the first non-digit, shifts the digits to the top, and adds them up pairwise with three
// multiplications (the method of Lemire, "Quickly parsing eight digits", 2018; non-digits as in
// simdjson).
//
//   const char* at = "1234,5";
//   PlainDigits number = read_plain_digits(at);   // value 1234, length 4
//
// Requires 24 readable bytes at `at`. Little-endian machines.

#include <bit>
#include <cstdint>
#include <cstring>

namespace serval {

struct PlainDigits {
  std::uint64_t value;
  unsigned length;  // 0: no digit; 18: perhaps more digits follow.
};

namespace plain_digits {

static_assert(std::endian::native == std::endian::little, "the first character must be the lowest byte");

// The digits among the eight bytes at `at`, up to the first non-digit.
inline PlainDigits up_to_eight(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  bytes ^= 0x3030303030303030u;  // '0'..'9' become 0..9.
  // Bytes above 9 get their high bit; carries run upwards only, past the first such byte.
  const std::uint64_t others = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
  const auto length = static_cast<unsigned>(std::countr_zero(others)) / 8;
  if (length == 0) return {0, 0};
  bytes <<= 64 - 8 * length;  // Zero bytes, as leading zeros, below.
  bytes = bytes * 10 + (bytes >> 8);
  const std::uint64_t upper = (bytes & 0x000000FF000000FFu) * 0x000F424000000064u;
  const std::uint64_t lower = ((bytes >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u;
  return {(upper + lower) >> 32, length};
}

}  // namespace plain_digits

inline PlainDigits read_plain_digits(const char* at) {
  const PlainDigits first = plain_digits::up_to_eight(at);
  if (first.length < 8) return first;
  static constexpr std::uint64_t kPowers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  const PlainDigits second = plain_digits::up_to_eight(at + 8);
  PlainDigits number{first.value * kPowers[second.length] + second.value, 8 + second.length};
  for (; number.length >= 16 && number.length < 18; ++number.length) {
    const auto digit = static_cast<std::uint64_t>(at[number.length] - '0');
    if (digit > 9) break;
    number.value = number.value * 10 + digit;
  }
  return number;
}

}  // namespace serval
