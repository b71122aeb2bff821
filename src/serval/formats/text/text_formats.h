#pragma once
// The formats of plain text with a line per operation, and Serval's own notation.

#include <string_view>

#include "serval/formats/format.h"

namespace serval {

// AWDIT's text: "r key value" and "w key value" lines, "---" between transactions, "===" between
// sessions. There is no initial version: every value read was written by a transaction of the file,
// usually by a first session that writes every key. Every transaction has committed. Described in
// docs/formats/awdit.md.
bool looks_like_awdit(std::string_view start);
History read_awdit(ByteStream& stream, const ReadOptions& options);
void write_awdit(const History& history, const ByteOutput& out, const Notice& lossy);

// Serval's own short notation as a file format: "s1: [w(x,1) r(y,0)]  s2: [w(y,1) r(x,0)]!". The grammar
// is in history/notation.h, the description in docs/formats/notation.md. Meant for small histories: the
// whole text is in memory.
bool looks_like_notation(std::string_view start);
History read_notation(ByteStream& stream, const ReadOptions& options);
void write_notation(const History& history, const ByteOutput& out, const Notice& lossy);

// r(key,value,session,txn) and w(...), one operation per line: the text format of PolySI, Plume, MTC,
// IsoVista and AWDIT. Described in docs/formats/polysi.md.
//
// (session, txn) identifies a transaction: the same txn in two sessions is two transactions. The session
// order is the order in which the transactions of a session first appear; lines of different transactions
// may interleave. Value 0 is the initial version, or a write of 0; txn -1 marks aborted writes.
//
// The reader parses the bytes of the chunk in place and is as fast as `wc -w` (bench/read_text.cpp
// measures it).
bool looks_like_polysi(std::string_view start);
History read_polysi(ByteStream& stream, const ReadOptions& options);
void write_polysi(const History& history, const ByteOutput& out, const Notice& lossy);

}  // namespace serval
