#pragma once
// Writes a History as Jepsen operation maps. EDN and JSON differ only in the syntax of maps, names and
// texts, so the syntax is data:
//
//   {:index 0, :type :ok, :process 1, :f :txn, :value [[:r :x nil]]}
//   {"index":0,"type":"ok","process":1,"f":"txn","value":[["r","x",null]]}
//   1  :ok  :txn  [[:r :x nil]]

#include <string_view>

#include "serval/formats/format.h"

namespace serval {

struct JepsenSpelling {
  std::string_view before_name, after_name;  // Of a field: ":" and " ", or "\"" and "\":".
  std::string_view before_word, after_word;  // Of a fixed word such as ok: ":" and "", or "\"" twice.
  std::string_view between_fields;           // ", " or ",".
  std::string_view between_elements;         // " " or ",".
  std::string_view nil;
  bool words_as_keywords;                                // Whether keys that are plain words look like :x.
  std::string_view before_all, between_maps, after_all;  // Around the maps of a file.
  enum class Layout { Maps, Columns };                   // Columns: process, type, f and value, between tabs.
  Layout layout = Layout::Maps;
};

void write_jepsen(const History& history, const JepsenSpelling& spelling, const ByteOutput& out,
                  const Notice& lossy);

}  // namespace serval
