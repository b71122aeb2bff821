#pragma once
// Bytes in the letters of RFC 4648, as JSON carries them.

#include <string>
#include <string_view>

namespace serval {

std::string encode_base64(std::string_view bytes);
// Throws DatabaseError.
std::string decode_base64(std::string_view text);

}  // namespace serval
