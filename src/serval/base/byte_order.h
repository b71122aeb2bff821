#pragma once
// Numbers as bytes, for files that other machines read: fixed widths in either byte order, and LEB128.

#include <cstdint>
#include <string>
#include <string_view>

namespace serval {

inline std::uint64_t load_little_endian(const char* bytes) noexcept {
  std::uint64_t number = 0;
  for (int i = 7; i >= 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}
inline std::uint32_t load_little_endian_32(const char* bytes) noexcept {
  std::uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}
inline std::uint64_t load_big_endian(const char* bytes) noexcept {
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}
inline void append_little_endian(std::string& out, std::uint64_t number) {
  for (int i = 0; i < 8; ++i, number >>= 8) out += static_cast<char>(number & 0xFF);
}
inline void append_little_endian_32(std::string& out, std::uint32_t number) {
  for (int i = 0; i < 4; ++i, number >>= 8) out += static_cast<char>(number & 0xFF);
}
inline void append_big_endian(std::string& out, std::uint64_t number) {
  for (int i = 7; i >= 0; --i) out += static_cast<char>(number >> (8 * i) & 0xFF);
}

inline void append_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>((number & 0x7F) | 0x80);
  out += static_cast<char>(number);
}
// For differences modulo 2^64, hence unsigned.
constexpr std::uint64_t zigzag(std::uint64_t number) noexcept { return number << 1 ^ (0 - (number >> 63)); }
constexpr std::uint64_t unzigzag(std::uint64_t number) noexcept { return number >> 1 ^ (0 - (number & 1)); }
inline void append_zigzag(std::string& out, std::int64_t number) {
  append_varint(out, zigzag(static_cast<std::uint64_t>(number)));
}
// Preceded by its length.
inline void append_text(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out += text;
}

}  // namespace serval
