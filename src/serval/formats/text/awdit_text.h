#pragma once
// AWDIT's text: "r key value" and "w key value" lines, "---" between transactions, "===" between
// sessions. There is no initial version: every value read was written by a transaction of the file,
// usually by a first session that writes every key. Every transaction has committed. Described in
// docs/formats/awdit.md.

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_awdit(std::string_view start);
History read_awdit(ByteStream& stream, const ReadOptions& options);
void write_awdit(const History& history, const std::function<void(std::string_view)>& out,
                 const std::function<void(const std::string&)>& lossy);

}  // namespace serval
