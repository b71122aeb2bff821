#pragma once
// BlindW of Cobra (Tan et al., OSDI 2020) and its variants in Leopard (section VI): transactions of eight
// operations that either all read or all write blindly.
//
//   blindw-w     only writes: the hardest case for the order of versions
//   blindw-rw    half reads, half writes
//   blindw-rw+   half of the reads cover ten adjacent keys instead of one

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo blindw_w_workload();
WorkloadInfo blindw_rw_workload();
WorkloadInfo blindw_rw_plus_workload();

}  // namespace serval
