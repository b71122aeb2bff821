#pragma once
// Jepsen histories as lines of text: `history.txt`, and the operations in a log of jepsen.util. The columns
// are those of the EDN maps, without index and time. Described in docs/formats/jepsen-text.md.

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_jepsen_text(std::string_view start);
History read_jepsen_text(ByteStream& stream, const ReadOptions& options);
// As history.txt.
void write_jepsen_text(const History& history, const std::function<void(std::string_view)>& out,
                       const std::function<void(const std::string&)>& lossy);

}  // namespace serval
