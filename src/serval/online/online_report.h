#pragma once
// The result of the online verifier as text and JSON.

#include <string>
#include <string_view>

#include "serval/base/json_writer.h"
#include "serval/online/online_verifier.h"

namespace serval::online {

// Violations with their derivations, then the counts; every line is indented by two.
std::string text_of(const OnlineResult& result);

// Writes members of the open object: "violations", "counts", "dependencies", "hints", "held".
void write_json(JsonWriter& json, const OnlineResult& result);
void write_json(JsonWriter& json, const Violation& violation);  // One object.

// Writes the members "dependencies" and "hints" of the open object; `session` names the session order.
void write_dependencies(JsonWriter& json, const OnlineStatistics& statistics, std::string_view session);

// Of the dependencies of reads and writes; those of sessions are always known and do not count.
double uncertain_share(const OnlineStatistics& statistics);    // Leopard, Fig. 12.
double overlapping_share(const OnlineStatistics& statistics);  // Leopard, Fig. 3.

// "4 of 16: ww 2 deduced, wr 1 deduced 1 uncertain"
std::string overlap_words(const OnlineStatistics& statistics);
// "ssi: 0 dangerous structures, 5 pivots"; empty if the database has no certifier.
std::string certifier_words(const OnlineStatistics& statistics);

}  // namespace serval::online
