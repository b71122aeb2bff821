#pragma once
// Lists as in Elle's list-append: one to a few operations, reads of whole lists and appends. A key that has
// got its share of appends retires and a fresh one takes its place, so lists stay short and keys keep coming.

#include <memory>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

std::unique_ptr<Generator> make_list_append(const Parameters& parameters, KeyChoice keys);

}  // namespace serval
