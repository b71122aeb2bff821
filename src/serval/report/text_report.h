#pragma once
// The answer for people. The first line is for machines, too:
//
//   VALID|VIOLATION|UNKNOWN <path> <level>                   of a gate
//   VALID <path> <level>                                     without one: the history has no anomaly
//   ANOMALY <path> strongest=<levels> found=<counts>
//   UNKNOWN <path> strongest=<levels>|any
//
// then what was checked, the anomalies in words, which levels hold, what it cost, and one next command.
// The text depends on the report alone; colour is never the only carrier of anything.

#include <cstddef>
#include <string>

#include "serval/report/report.h"

namespace serval {

struct TextOptions {
  bool colour = false;
  bool brief = false;              // The first line only.
  bool detailed = false;           // Also phases and anomalies without elision.
  std::size_t most_of_survey = 1;  // Anomalies told of without a gate, unless detailed.
  bool explains_engine = false;    // Also what was tried to find an order.
  std::size_t width = 110;
};

// Ends with a newline.
std::string text_report(const Report& report, const TextOptions& options = {});

}  // namespace serval
