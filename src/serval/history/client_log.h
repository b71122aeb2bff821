#pragma once
// The operations of clients as they were recorded, for workloads that are not transactions over keys (bank,
// set, counter, ...): what an operation means is the model's business. Entries are in the order of the file,
// which is the order of events. Plain data; formats/jepsen/jepsen_log.h reads it.
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

// A whole number of any size is a client, everything else (nil, :nemesis) is not.
inline bool is_client_process(Value process, const ValuePool& pool) {
  if (process.is_integer()) return true;
  if (process.kind() != Value::Kind::Number) return false;
  return pool.characters(process).find_first_of(".eE") == std::string_view::npos;
}

struct ClientEntry {
  EntryType type = EntryType::Absent;  // Of clients one of Invoke, Ok, Fail and Info.
  Value process;                       // Nil when absent; unknown when it is not a scalar.
  std::string f;                       // Empty when absent.
  FormValue value;                     // Nil when absent.
  Value key;                           // :key, of histories of key-value stores; nil when absent.
  std::int64_t index = 0;              // As told by the file, else the place of the entry in it, from 0.
  std::optional<std::int64_t> time;
  std::string error;
  std::uint64_t line = 0;  // Where it begins in the file, from 1.
};

struct ClientLog {
  std::string file;  // Its name, for errors.
  ValuePool values;
  std::vector<ClientEntry> entries;

  // Clients have whole numbers as process; everything else (:nemesis) is not a client.
  bool is_client(const ClientEntry& entry) const { return is_client_process(entry.process, values); }
};

}  // namespace serval
