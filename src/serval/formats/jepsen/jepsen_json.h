#pragma once
// Jepsen and Elle histories in JSON: one array of operation objects (elle-cli), or one object per line
// (jepsen.history.sim). Either reader reads both. Described in docs/formats/jepsen-json.md.

#include <functional>
#include <string>
#include <string_view>

#include "serval/base/byte_stream.h"
#include "serval/formats/format.h"
#include "serval/history/history.h"

namespace serval {

bool looks_like_jepsen_json(std::string_view start);
bool looks_like_jepsen_jsonl(std::string_view start);
History read_jepsen_json(ByteStream& stream, const ReadOptions& options);
History read_jepsen_jsonl(ByteStream& stream, const ReadOptions& options);
void write_jepsen_json(const History& history, const std::function<void(std::string_view)>& out,
                       const std::function<void(const std::string&)>& lossy);
void write_jepsen_jsonl(const History& history, const std::function<void(std::string_view)>& out,
                        const std::function<void(const std::string&)>& lossy);

}  // namespace serval
