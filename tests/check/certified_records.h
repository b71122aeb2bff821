#pragma once
// Histories with version certificates, written as lines of JSON.

#include <array>
#include <string>

#include "serval/check/check.h"
#include "serval/formats/format.h"

namespace serval::certified {

// Every level that a certificate decides.
inline constexpr std::array kLevels{Level::ReadUncommitted,
                                    Level::ReadCommitted,
                                    Level::RepeatableRead,
                                    Level::SnapshotIsolation,
                                    Level::StrongSessionSnapshotIsolation,
                                    Level::StrongSnapshotIsolation,
                                    Level::Serializable,
                                    Level::StrongSessionSerializable,
                                    Level::StrictSerializable};

// Reads these lines, which follow the header.
inline History history_of(const std::string& records) {
  ByteStream stream =
      ByteStream::from_memory("test.jsonl", "{\"serval\":\"history\",\"version\":1}\n" + records);
  return read_history(stream);
}

inline std::string transaction(int session, int number, const std::string& operations,
                               const std::string& times = R"("begin":0,"end":9)") {
  return "{\"s\":" + std::to_string(session) + ",\"t\":" + std::to_string(number) + ",\"ops\":[" +
         operations + "]," + times + "}\n";
}
inline std::string order(const std::string& key, const std::string& versions) {
  return "{\"event\":\"order\",\"key\":\"" + key + "\",\"versions\":[" + versions + "],\"complete\":true}\n";
}

// "holds", "violated", or why it is undecided.
inline std::string reason_of(const CheckResult& result) {
  if (const auto* open = std::get_if<Undecided>(&result.verdict)) return open->reason;
  return holds(result.verdict) ? "holds" : "violated";
}

}  // namespace serval::certified
