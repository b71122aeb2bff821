#pragma once
// Lists as in Elle's list-append: a few reads of whole lists and appends per transaction. After a number
// of appends a key is replaced by a fresh one, so lists stay short.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo list_append_workload();

}  // namespace serval
