#include "serval/database/passwords.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace serval {
namespace {

constexpr std::array<std::string_view, 5> kNames{"password", "sslpassword", "passwd", "pwd", "pass"};

bool ends_word(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '"' || c == '\''; }

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool names_a_password(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kNames, lower) != kNames.end();
}

// "user:SECRET@": from the first colon after the scheme to the last at sign of the word.
void find_in_front_of_host(std::string_view word, std::size_t offset, std::vector<PasswordPlace>& out) {
  const std::size_t scheme = word.find("://");
  const std::size_t first = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t colon = word.find(':', first);
  const std::size_t at = word.rfind('@');
  if (colon == std::string_view::npos || at == std::string_view::npos || at <= colon + 1) return;
  if (word.substr(first, colon - first).find_first_of("/@?") != std::string_view::npos) return;
  out.push_back({offset + colon + 1, offset + at});
}

// "password=SECRET", up to the next option.
void find_in_options(std::string_view word, std::size_t offset, std::vector<PasswordPlace>& out) {
  for (std::size_t equals = word.find('='); equals != std::string_view::npos;
       equals = word.find('=', equals + 1)) {
    std::size_t begin = equals;
    while (begin > 0 && is_letter(word[begin - 1])) --begin;
    if (!names_a_password(word.substr(begin, equals - begin))) continue;
    const std::size_t end = std::min(word.find('&', equals), word.size());
    const bool inside = !out.empty() && offset + equals < out.back().end;
    if (end > equals + 1 && !inside) out.push_back({offset + equals + 1, offset + end});
    equals = end - 1;
  }
}

}  // namespace

std::vector<PasswordPlace> find_passwords(std::string_view text) {
  std::vector<PasswordPlace> out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && !ends_word(text[end])) ++end;
    find_in_front_of_host(text.substr(begin, end - begin), begin, out);
    find_in_options(text.substr(begin, end - begin), begin, out);
    begin = end + 1;
  }
  return out;
}

std::string without_passwords(std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for (const PasswordPlace& place : find_passwords(text)) {
    out.append(text.substr(done, place.begin - done)).append("***");
    done = place.end;
  }
  return out.append(text.substr(done));
}

}  // namespace serval
