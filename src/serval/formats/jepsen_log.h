#pragma once
// The operations of a Jepsen history as they were recorded, for workloads that are not transactions over keys
// (bank, set, counter, ...): what an operation means is the model's business, not the reader's.
//
//   const JepsenLog log = read_jepsen_log("history.edn");     // EDN, JSON, JSON lines, history.txt or a log
//   for (const JepsenEntry& entry : log.entries)
//     if (log.is_client(entry) && entry.f == "transfer") use(entry.type, entry.value);
//
// Entries are in the order of the file, which is the order of events. Memory is the whole file as trees.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serval/base/byte_stream.h"
#include "serval/formats/form_value.h"
#include "serval/formats/format.h"
#include "serval/formats/jepsen_operation.h"

namespace serval {

struct JepsenEntry {
  JepsenType type = JepsenType::Absent;  // Of clients one of Invoke, Ok, Fail and Info.
  Value process;                         // Nil when absent; unknown when it is not a scalar.
  std::string f;                         // Empty when absent.
  FormValue value;                       // Nil when absent.
  Value key;                             // :key, of histories of key-value stores; nil when absent.
  std::int64_t index = 0;                // As told by the file, else the place of the entry in it, from 0.
  std::optional<std::int64_t> time;
  std::string error;
  std::uint64_t line = 0;  // Where it begins in the file, from 1.
};

struct JepsenLog {
  std::string file;  // Its name, for errors.
  ValuePool values;
  std::vector<JepsenEntry> entries;

  // Clients have whole numbers as process; everything else (:nemesis) is not a client.
  bool is_client(const JepsenEntry& entry) const;
};

// Throws InputError, also for a file in a format that does not hold Jepsen operations.
JepsenLog read_jepsen_log(ByteStream& stream, const ReadOptions& options = {});
JepsenLog read_jepsen_log(const std::string& path, const ReadOptions& options = {});

}  // namespace serval
