#pragma once
// dbcop 0.2's JSON: sessions of transactions, alone or as "data" of an object with metadata. Described in
// docs/formats/dbcop.md.
//
//   {"params":{...},"info":"","start":"...","end":"...","data":[[{"events":[{"Write":{"variable":0,
//    "version":1}},{"Read":{"variable":1,"version":null}}],"committed":true}]]}

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_dbcop_json(std::string_view start);
History read_dbcop_json(ByteStream& stream, const ReadOptions& options);
void write_dbcop_json(const History& history, const std::function<void(std::string_view)>& out,
                      const std::function<void(const std::string&)>& lossy);

}  // namespace serval
