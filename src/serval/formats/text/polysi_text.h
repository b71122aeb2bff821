#pragma once
// r(key,value,session,txn) and w(...), one operation per line: the text format of PolySI, Plume, MTC,
// IsoVista and AWDIT. Described in docs/formats/polysi.md.
//
// (session, txn) identifies a transaction: the same txn in two sessions is two transactions. The session
// order is the order in which the transactions of a session first appear; lines of different transactions
// may interleave. Value 0 is the initial version, or a write of 0; txn -1 marks aborted writes.
//
// The reader parses the bytes of the chunk in place and is as fast as `wc -w` (bench/read_text.cpp
// measures it).

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_polysi(std::string_view start);
History read_polysi(ByteStream& stream, const ReadOptions& options);
void write_polysi(const History& history, const std::function<void(std::string_view)>& out,
                  const std::function<void(const std::string&)>& lossy);

}  // namespace serval
