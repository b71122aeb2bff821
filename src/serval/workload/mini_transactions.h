#pragma once
// Mini-transactions (MTC, section III): at most two keys and four operations, every write after a read of its
// key. The shapes of MTC's generator are equally likely; the one-key shapes can be left out.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo mini_transactions_workload();

}  // namespace serval
