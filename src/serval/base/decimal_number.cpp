#include "serval/base/decimal_number.h"

namespace serval {
namespace {

const char* skip_digits(const char* at, const char* end) {
  while (at < end && *at >= '0' && *at <= '9') ++at;
  return at;
}

}  // namespace

bool is_decimal_number(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at < end && (*at == '-' || *at == '+')) ++at;
  const char* const digits = at;
  at = skip_digits(at, end);
  if (at == digits) return false;
  if (at < end && *at == '.') {
    const char* const fraction = at + 1;
    at = skip_digits(fraction, end);
    if (at == fraction) return false;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end && (*at == '-' || *at == '+')) ++at;
    const char* const exponent = at;
    at = skip_digits(exponent, end);
    if (at == exponent) return false;
  }
  return at == end;
}

}  // namespace serval
