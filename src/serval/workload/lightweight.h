#pragma once
// Lightweight transactions (MTC, section IV-D): one operation each; every key is inserted if absent, then
// read and changed by compare-and-set.

#include <memory>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

std::unique_ptr<Generator> make_lightweight(const Parameters& parameters, KeyChoice keys);

}  // namespace serval
