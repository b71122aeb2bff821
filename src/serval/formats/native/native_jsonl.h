#pragma once
// Serval's own line format: a header line, then one JSON object per line, each a whole transaction or one
// event of it. Made for recorders and for jq; described in docs/formats/jsonl.md.
//
//   {"serval":"history","version":1,"initial":0,"facts":{"database":"postgres 15"}}
//   {"s":1,"t":42,"ops":[["r","x",0],["w","x",1]],"begin":10,"end":20,"outcome":"aborted"}
//   {"event":"begin","s":2,"t":43,"at":12}
//   {"event":"op","s":2,"t":43,"op":["r","x",0,{"at":[13,14]}]}
//   {"event":"end","s":2,"t":43,"at":15,"outcome":"committed"}
//
// Represents everything in a History. Appendable: a file may end in the middle of a line and continue
// with another header; open transactions are then indeterminate. Reading takes one pass and memory for
// one line.

#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_jsonl(std::string_view start);
// Throws InputError for a malformed line that is not merely truncated, and for a version above 1.
History read_jsonl(ByteStream& stream, const ReadOptions& options);
void write_jsonl(const History& history, const ByteOutput& out, const Notice& lossy);

}  // namespace serval
