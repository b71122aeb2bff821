#pragma once
// Registers as in Elle's rw-register: one to a few operations, reads and blind writes mixed freely.

#include <memory>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

std::unique_ptr<Generator> make_registers(const Parameters& parameters, KeyChoice keys);

}  // namespace serval
