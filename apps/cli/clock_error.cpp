#include "clock_error.h"

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/history/changed_history.h"

namespace serval::cli {

void allow_for_clock_error(LoadedHistory& loaded, const std::string& path, const ClockError& error,
                           Widening widening) {
  if (error.text.empty()) return;
  if (loaded.has_positions)
    throw InputError({path, 0, 0}, "the file has no times, only an order of events", {},
                     "--clock-error needs times; without it, the order of the events counts as it is");
  if (!loaded.history.has_times()) {
    loaded.notices.emplace_back("the file has no times, so --clock-error has no effect");
    return;
  }
  if (widening == Widening::History) loaded.history = with_clock_error(loaded.history, error.most.count());
  loaded.notices.push_back(fmt::format(
      "clocks may be wrong by {}: every interval is widened by that much at both ends", error.text));
}

}  // namespace serval::cli
