#include "serval/database/etcd/base64.h"

#include <algorithm>
#include <cstdint>

#include "serval/database/database.h"

namespace serval {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += j <= count ? kLetters[(group >> (18 - 6 * j)) & 0x3F] : '=';
  }
  return out;
}

std::string decode_base64(std::string_view text) {
  std::string out;
  std::uint32_t group = 0;
  unsigned bits = 0;
  if (text.size() % 4 != 0) throw DatabaseError("base64 that is cut off");
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const std::size_t digit = kLetters.find(c);
    if (digit == std::string_view::npos) throw DatabaseError("base64 with an invalid character");
    group = group << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits);
    group &= (1u << bits) - 1;
  }
  return out;
}

}  // namespace serval
