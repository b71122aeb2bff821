#include "serval/stream/transaction_times.h"

#include <algorithm>

#include <fmt/format.h>

namespace serval {

std::optional<std::string> find_time_contradiction(const JsonlRecord& transaction, Time tolerance) {
  const auto is_before = [tolerance](Time time, Time other) {
    return time != kUnknownBegin && other >= kUnknownBegin + tolerance && time < other - tolerance;
  };
  const Interval whole = transaction.interval;
  if (is_before(whole.end, whole.begin))
    return fmt::format("it ends at {}, before it begins at {}", whole.end, whole.begin);
  Time latest = whole.begin;  // The begin of the transaction, or the latest call so far.
  for (std::size_t i = 0; i < transaction.ops.size(); ++i) {
    if (transaction.ops[i].extra == JsonlRecord::kNoExtra) continue;
    const Interval time = transaction.extras[transaction.ops[i].extra].time;
    const auto tell = [i](const std::string& problem) {
      return fmt::format("operation {} {}", i + 1, problem);
    };
    if (is_before(time.end, time.begin))
      return tell(fmt::format("is answered at {}, before it is called at {}", time.end, time.begin));
    if (is_before(time.begin, whole.begin))
      return tell(
          fmt::format("is called at {}, before the transaction begins at {}", time.begin, whole.begin));
    if (is_before(time.begin, latest))
      return tell(fmt::format("is called at {}, before an earlier one at {}", time.begin, latest));
    const Time last = time.end == kUnknownEnd ? time.begin : time.end;
    if (is_before(whole.end, last))
      return tell(fmt::format("is at {}, after the transaction ends at {}", last, whole.end));
    latest = std::max(latest, time.begin);
  }
  return std::nullopt;
}

}  // namespace serval
