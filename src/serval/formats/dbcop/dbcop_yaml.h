#pragma once
// dbcop's YAML of 2019, in the layout of its serializer: one member per line, a dash where an element
// begins. Other layouts of YAML are not supported. Described in docs/formats/dbcop.md.
//
//   - - events:                session, transaction
//       - write: true          event
//         variable: 0
//         value: 1
//         success: true
//       success: true

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool looks_like_dbcop_yaml(std::string_view start);
History read_dbcop_yaml(ByteStream& stream, const ReadOptions& options);
void write_dbcop_yaml(const History& history, const std::function<void(std::string_view)>& out,
                      const std::function<void(const std::string&)>& lossy);

}  // namespace serval
