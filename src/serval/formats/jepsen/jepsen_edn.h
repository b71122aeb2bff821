#pragma once
// Jepsen and Elle histories in EDN: a sequence, vector or list of operation maps. Described in
// docs/formats/jepsen-edn.md.

#include <functional>
#include <string>
#include <string_view>

#include "serval/base/byte_stream.h"
#include "serval/formats/format.h"
#include "serval/history/history.h"

namespace serval {

bool looks_like_jepsen_edn(std::string_view start);
History read_jepsen_edn(ByteStream& stream, const ReadOptions& options);
// One operation map per line.
void write_jepsen_edn(const History& history, const std::function<void(std::string_view)>& out,
                      const std::function<void(const std::string&)>& lossy);

}  // namespace serval
