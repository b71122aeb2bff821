#pragma once
// Classifies reads that no committed transaction's last write explains: the reader's own later write, an
// aborted write, an overwritten one, or a value that nobody wrote. One pass over the history for all of
// them; runs only if there are such reads.

#include <vector>

#include "serval/inference/read_write_sets.h"

namespace serval {

// `reads` are external reads whose value is neither the key's initial version nor another transaction's
// last write. Returns one fault for each, in the same order.
std::vector<FaultyRead> explain_reads(const History& history, const std::vector<OperationId>& reads,
                                      Budget& budget);

}  // namespace serval
