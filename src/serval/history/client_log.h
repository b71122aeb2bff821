#pragma once
// The operations of clients as recorded, for workloads that are not transactions over keys (bank, set,
// counter, ...). Only the model knows what an operation means. Entries are in file order, which is the
// order of events. Plain data; formats/jepsen/jepsen_log.h reads it.
//
//   for (const ClientEntry& entry : log.entries)
//     if (log.is_client(entry) && entry.f == "transfer") use(entry.type, entry.value);

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serval/history/form_value.h"
#include "serval/history/value.h"

namespace serval {

enum class EntryType : std::uint8_t { Absent, Invoke, Ok, Fail, Info, Other };

// An integer of any size denotes a client; everything else (nil, :nemesis) does not.
inline bool is_client_process(Value process, const ValuePool& pool) {
  if (process.is_integer()) return true;
  if (process.kind() != Value::Kind::Number) return false;
  return pool.characters(process).find_first_of(".eE") == std::string_view::npos;
}

struct ClientEntry {
  EntryType type = EntryType::Absent;  // For clients Invoke, Ok, Fail or Info.
  Value process;                       // Nil if absent; unknown if it is not a scalar.
  std::string f;                       // Empty if absent.
  FormValue value;                     // Nil if absent.
  Value key;                           // :key, in histories of key-value stores; nil if absent.
  std::int64_t index = 0;              // From the file, otherwise the position of the entry, from 0.
  std::optional<std::int64_t> time;
  std::string error;
  std::uint64_t line = 0;  // Where it begins in the file, from 1.
};

struct ClientLog {
  std::string file;  // For error messages.
  ValuePool values;
  std::vector<ClientEntry> entries;

  // Clients have integers as process; everything else (:nemesis) is not a client.
  bool is_client(const ClientEntry& entry) const { return is_client_process(entry.process, values); }
};

}  // namespace serval
