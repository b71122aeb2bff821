#pragma once
// Jepsen and Elle histories: a sequence of operation maps. docs/formats/jepsen-edn.md, jepsen-json.md and
// jepsen-text.md describe the formats.

#include <string_view>

#include "serval/formats/format.h"

namespace serval {

// EDN: maps one after the other, or in a vector or list. Written one map per line.
bool looks_like_jepsen_edn(std::string_view start);
History read_jepsen_edn(ByteStream& stream, const ReadOptions& options);
void write_jepsen_edn(const History& history, const ByteOutput& out, const Notice& lossy);

// JSON: one array of operation objects (elle-cli), or one object per line (jepsen.history.sim). The reader
// reads both.
bool looks_like_jepsen_json(std::string_view start);
bool looks_like_jepsen_jsonl(std::string_view start);
History read_jepsen_json(ByteStream& stream, const ReadOptions& options);
void write_jepsen_json(const History& history, const ByteOutput& out, const Notice& lossy);
void write_jepsen_jsonl(const History& history, const ByteOutput& out, const Notice& lossy);

// Lines of text: `history.txt`, and the operations in a log of jepsen.util. The columns are those of the
// EDN maps, without index and time. Written as history.txt.
bool looks_like_jepsen_text(std::string_view start);
History read_jepsen_text(ByteStream& stream, const ReadOptions& options);
void write_jepsen_text(const History& history, const ByteOutput& out, const Notice& lossy);

}  // namespace serval
