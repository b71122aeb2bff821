#pragma once
// serval check: one file, judged by the engines of check() at a level or at all of them.

#include <memory>
#include <string>

#include "file_check.h"

namespace serval::cli {

std::unique_ptr<FileCheck> check_by_level(const CheckPlan& plan, const std::string& path);

}  // namespace serval::cli
