#pragma once
// What the online verifier found, in words and as JSON.

#include <string>

#include "serval/base/json_writer.h"
#include "serval/online/online_verifier.h"

namespace serval::online {

// Violations with their derivations, then what was counted; every line indented by two.
std::string text_of(const OnlineResult& result);

// Members of the object that is open: "violations", "counts", "dependencies", "hints", "held".
void write_json(JsonWriter& json, const OnlineResult& result);
void write_json(JsonWriter& json, const Violation& violation);  // One object.

// Of all dependencies, the share that stayed uncertain (Leopard, Fig. 12).
double uncertain_share(const OnlineStatistics& statistics);

}  // namespace serval::online
