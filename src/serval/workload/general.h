#pragma once
// The general transactions of Cobra, PolySI and MTC: a fifth only reads, two fifths only write (blindly), two
// fifths read, then write each of their keys; a fixed number of operations a transaction.

#include <memory>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

std::unique_ptr<Generator> make_general(const Parameters& parameters, KeyChoice keys);

}  // namespace serval
