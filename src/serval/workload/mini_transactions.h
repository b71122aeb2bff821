#pragma once
// Mini-transactions (MTC, section III): at most two keys and four operations, every write after a read of its
// key. Drawn evenly from the shapes of MTC's generator; the one-key shapes can be left out.

#include <memory>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

std::unique_ptr<Generator> make_mini_transactions(const Parameters& parameters, KeyChoice keys);

}  // namespace serval
