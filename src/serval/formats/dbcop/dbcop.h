#pragma once
// The four formats of dbcop (OOPSLA 2019); docs/formats/dbcop.md and dbcop-hist.md describe them.

#include <string_view>

#include "serval/formats/format.h"

namespace serval {

// history.bincode, which PolySI and VeriStrong also read: bincode 1.x, little endian, every number eight
// bytes.
//
//   id  nodes  variables  transactions  events   info  start  end      text: length, bytes
//   sessions, each: transactions, each: events, each: write(1) variable value success(1); then committed(1)
bool looks_like_dbcop_bincode(std::string_view start);
History read_dbcop_bincode(ByteStream& stream, const ReadOptions& options);
void write_dbcop_bincode(const History& history, const ByteOutput& out, const Notice& lossy);

// The .hist text: "[x:=1 y==2]!" with ":=" for a write, "==" for a read, "==?" for a read of the initial
// version and "!" after a transaction that did not commit; a line of dashes between sessions, "//" before a
// comment. Version 0 is the initial one, or a write of 0.
bool looks_like_dbcop_hist(std::string_view start);
History read_dbcop_hist(ByteStream& stream, const ReadOptions& options);
void write_dbcop_hist(const History& history, const ByteOutput& out, const Notice& lossy);

// The JSON of 0.2: sessions of transactions, alone or as "data" of an object with metadata.
//
//   {"params":{...},"info":"","start":"...","end":"...","data":[[{"events":[{"Write":{"variable":0,
//    "version":1}},{"Read":{"variable":1,"version":null}}],"committed":true}]]}
bool looks_like_dbcop_json(std::string_view start);
History read_dbcop_json(ByteStream& stream, const ReadOptions& options);
void write_dbcop_json(const History& history, const ByteOutput& out, const Notice& lossy);

// The YAML of 2019, in the layout of its serializer: one member per line, a dash where an element begins.
// Other layouts of YAML are not supported.
//
//   - - events:                session, transaction
//       - write: true          event
//         variable: 0
//         value: 1
//         success: true
//       success: true
bool looks_like_dbcop_yaml(std::string_view start);
History read_dbcop_yaml(ByteStream& stream, const ReadOptions& options);
void write_dbcop_yaml(const History& history, const ByteOutput& out, const Notice& lossy);

}  // namespace serval
