#pragma once
// The report as one JSON object on one line, schema "serval.report/2". Fields are only added; an
// incompatible change gets a new schema name. docs/cli.md describes every field.

#include <string>

#include "serval/report/report.h"

namespace serval {

std::string json_report(const Report& report);  // Without a newline.

}  // namespace serval
