#pragma once
// serval check --engine mirror: feeds the operations of one file to the mirror, in the order of their
// invocations (docs/mirror.md).

#include <memory>
#include <string>

#include "file_check.h"

namespace serval::cli {

std::unique_ptr<FileCheck> check_by_mirror(const CheckPlan& plan, const std::string& path);

}  // namespace serval::cli
