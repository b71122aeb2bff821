#pragma once
// Serval's own short notation as a file format: "s1: [w(x,1) r(y,0)]  s2: [w(y,1) r(x,0)]!". The grammar
// is in history/notation.h, the description in docs/formats/notation.md. Meant for small histories: the
// whole text is in memory.

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_notation(std::string_view start);
History read_notation(ByteStream& stream, const ReadOptions& options);
void write_notation(const History& history, const std::function<void(std::string_view)>& out,
                    const std::function<void(const std::string&)>& lossy);

}  // namespace serval
