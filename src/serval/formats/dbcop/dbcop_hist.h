#pragma once
// dbcop's .hist text: "[x:=1 y==2]!" with ":=" for a write, "==" for a read, "==?" for a read of the initial
// version and "!" after a transaction that did not commit; a line of dashes between sessions, "//" before a
// comment. Version 0 is the initial one, or a write of 0. Page: docs/formats/dbcop-hist.md.

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_dbcop_hist(std::string_view start);
History read_dbcop_hist(ByteStream& stream, const ReadOptions& options);
void write_dbcop_hist(const History& history, const std::function<void(std::string_view)>& out,
                      const std::function<void(const std::string&)>& lossy);

}  // namespace serval
