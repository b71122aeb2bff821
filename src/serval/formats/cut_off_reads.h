#pragma once
// A truncated file that lists one session after another lacks the writes of the sessions at its end,
// although earlier sessions may have read them. Such reads count as never completed.

#include "serval/formats/format.h"

namespace serval {

// Whether files of the format list one session after another.
bool lists_sessions_in_turn(Format format);

// Reads of values without a writer, and of lists with elements that were never appended, become reads
// without a result. Reports their number to `notice`. O(operations).
History without_cut_off_reads(History history, const Notice& notice);

}  // namespace serval
