#pragma once
// The answer for programs: one JSON object on one line, schema "serval.report/2". Fields are only ever added;
// a change that breaks a reader gets a new schema name. docs/cli.md describes every field.

#include <string>

#include "serval/report/report.h"

namespace serval {

std::string json_report(const Report& report);  // Without a newline.

}  // namespace serval
