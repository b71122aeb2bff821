#pragma once
// A file that lists one session after another and was cut off lacks the writes of the sessions at its end,
// though those before may have read them. Such reads are taken as not answered.
//
//   r(1,7,0,1)           session 0 read what session 1 wrote,
//   w(1,                 and the write is cut off

#include <functional>
#include <string>

#include "serval/formats/format.h"

namespace serval {

// Whether files of the format, or this history in it, list one session after another.
bool lists_sessions_in_turn(Format format, const History& history);

// Reads of values that nobody wrote, and of lists with elements that nobody appended, become reads without an
// answer. Tells `notice` how many. O(operations).
History without_cut_off_reads(History history, const std::function<void(const std::string&)>& notice);

}  // namespace serval
