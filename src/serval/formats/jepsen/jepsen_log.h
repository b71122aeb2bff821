#pragma once
// Reads the operations of a Jepsen history as they were recorded (history/client_log.h).
//
//   const ClientLog log = read_jepsen_log("history.edn");     // EDN, JSON, JSON lines, history.txt or a log
//
// Holds the whole file in memory, as trees.

#include <string>

#include "serval/base/byte_stream.h"
#include "serval/formats/format.h"
#include "serval/history/client_log.h"

namespace serval {

// Throws InputError, also for a file in a format that does not hold Jepsen operations.
ClientLog read_jepsen_log(ByteStream& stream, const ReadOptions& options = {});
ClientLog read_jepsen_log(const std::string& path, const ReadOptions& options = {});

}  // namespace serval
