#include "mutations.h"

#include <algorithm>
#include <array>
#include <vector>

namespace serval::fuzz {
namespace {

constexpr std::array<std::string_view, 40> kPieces{"0",
                                                   "-1",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "1e999",
                                                   "1.5",
                                                   "18446744073709551616",
                                                   "null",
                                                   "nil",
                                                   "true",
                                                   "_",
                                                   "?",
                                                   "[]",
                                                   "{}",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   "(",
                                                   ")",
                                                   "\"",
                                                   "\\u0000",
                                                   "\\ud800",
                                                   "\xff\xfe",
                                                   ":ok",
                                                   ":info",
                                                   ":fail",
                                                   ":append",
                                                   "\"outcome\":\"aborted\"",
                                                   "\"outcome\":\"indeterminate\"",
                                                   "\"initial\":0",
                                                   "\"complete\":true",
                                                   "d(x)",
                                                   "cas(x,0,1)",
                                                   "w(x,?)",
                                                   "r(x,_)",
                                                   "@5..",
                                                   "@..3",
                                                   "\n",
                                                   "\r\n"};

struct Piece {
  std::size_t at = 0, size = 0;
};

// Bytes or whole lines.
Piece any_piece(std::string_view text, Random& random) {
  Piece piece{random.below(text.size()), 0};
  piece.size = 1 + random.below(std::min<std::size_t>(text.size() - piece.at, 64));
  if (random.chance(0.5)) return piece;
  const std::size_t before = text.rfind('\n', piece.at);
  piece.at = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = text.find('\n', piece.at);
  piece.size = (end == std::string_view::npos ? text.size() : end + 1) - piece.at;
  return piece;
}

// The digits of a number, or an empty piece.
Piece any_number(std::string_view text, Random& random) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t from = text.find_first_of(kDigits, random.below(text.size()));
  if (from == std::string_view::npos) return {};
  const std::size_t to = std::min(text.find_first_not_of(kDigits, from), text.size());
  return {from, to - from};
}

void change_number(std::string& text, Random& random) {
  const Piece number = any_number(text, random), other = any_number(text, random);
  if (number.size == 0) return;
  const std::string taken = text.substr(other.at, other.size);
  text.replace(number.at, number.size, random.chance(0.5) ? taken : std::to_string(random.below(4)));
}

void change_once(std::string& text, std::string_view other, Random& random) {
  if (text.empty()) text = "\n";
  const Piece piece = any_piece(text, random);
  switch (random.below(9)) {
    case 0:
      text[piece.at] = static_cast<char>(text[piece.at] ^ (1 << random.below(8)));
      break;
    case 1:
      text.erase(piece.at, piece.size);
      break;
    case 2:
      text.insert(random.below(text.size()), text.substr(piece.at, piece.size));
      break;
    case 3:
      text.insert(piece.at, kPieces[random.below(kPieces.size())]);
      break;
    case 4:
      text.replace(piece.at, std::min<std::size_t>(piece.size, 4), kPieces[random.below(kPieces.size())]);
      break;
    case 5:
      if (random.chance(0.2)) text.resize(piece.at);
      break;
    case 6: {
      const Piece lent = other.empty() ? Piece{} : any_piece(other, random);
      text.insert(piece.at, other.substr(lent.at, lent.size));
      break;
    }
    default:
      change_number(text, random);
  }
}

}  // namespace

std::string mutated(std::string bytes, std::string_view other, Random& random) {
  for (std::uint64_t times = 1 + random.below(4); times > 0; --times) change_once(bytes, other, random);
  return bytes;
}

}  // namespace serval::fuzz
