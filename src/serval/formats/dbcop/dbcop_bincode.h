#pragma once
// dbcop's history.bincode (OOPSLA 2019, and what PolySI and VeriStrong read): bincode 1.x, little endian,
// every number eight bytes. Page: docs/formats/dbcop.md.
//
//   id  nodes  variables  transactions  events   info  start  end      text: length, bytes
//   sessions, each: transactions, each: events, each: write(1) variable value success(1); then committed(1)

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_dbcop_bincode(std::string_view start);
History read_dbcop_bincode(ByteStream& stream, const ReadOptions& options);
void write_dbcop_bincode(const History& history, const std::function<void(std::string_view)>& out,
                         const std::function<void(const std::string&)>& lossy);

}  // namespace serval
