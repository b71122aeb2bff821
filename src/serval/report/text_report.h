#pragma once
// The report as text. The first line can also be parsed by programs:
//
//   VALID|VIOLATION|UNKNOWN <path> <level>                   with a gate
//   VALID <path> <level>                                     without one: the history has no anomaly
//   ANOMALY <path> strongest=<levels> found=<counts>
//   UNKNOWN <path> strongest=<levels>|any
//
// Then follow what was checked, the explained anomalies, the levels that hold, the cost, and one command
// to run next. The text depends only on the report; no information is carried by colour alone.

#include <cstddef>
#include <string>

#include "serval/report/report.h"

namespace serval {

struct TextOptions {
  bool colour = false;
  bool brief = false;              // Only the first line.
  bool detailed = false;           // Also the phases, and anomalies in full.
  std::size_t most_of_survey = 1;  // Anomalies shown without a gate, unless detailed.
  bool explains_engine = false;    // Also the steps of the search for an order.
  std::size_t width = 110;
};

// Ends with a newline.
std::string text_report(const Report& report, const TextOptions& options = {});

}  // namespace serval
