#pragma once
// The result of the online verifier as text and JSON.

#include <string>

#include "serval/base/json_writer.h"
#include "serval/online/online_verifier.h"

namespace serval::online {

// Violations with their derivations, then the counts; every line is indented by two.
std::string text_of(const OnlineResult& result);

// Writes members of the open object: "violations", "counts", "dependencies", "hints", "held".
void write_json(JsonWriter& json, const OnlineResult& result);
void write_json(JsonWriter& json, const Violation& violation);  // One object.

// The share of dependencies that stayed uncertain (Leopard, Fig. 12).
double uncertain_share(const OnlineStatistics& statistics);

}  // namespace serval::online
