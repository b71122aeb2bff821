#pragma once
// Lists as in Elle's list-append: one to a few operations, reads of whole lists and appends. A key that has
// got its share of appends retires and a fresh one takes its place, so lists stay short and keys keep coming.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo list_append_workload();

}  // namespace serval
