#pragma once
// The result of a model check of one file, as text or as one JSON object (schema serval.model/1,
// docs/models.md).

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/model/model.h"
#include "serval/report/report.h"
#include "serval/report/text_report.h"

namespace serval {

struct ModelReport {
  std::string version;                     // Of Serval.
  std::string path;                        // As given; "-" for standard input.
  std::string format;                      // Of the file; empty if not yet known.
  const ClientHistory* history = nullptr;  // Null if the file was not read completely.
  Model model = Model::Bank;
  ModelResult result;
  std::vector<std::string> notices;                         // What the reader skipped or repaired.
  std::vector<std::pair<std::string_view, double>> phases;  // Name and seconds, in order.
  Verification verification = Verification::NotAsked;
  BudgetUse budget;
  int exit_code = 0;
};

// "valid", "violation" or "unknown".
std::string_view headline(ModelVerdict verdict);

std::string model_text_report(const ModelReport& report, const TextOptions& options);
std::string model_json_report(const ModelReport& report);

}  // namespace serval
