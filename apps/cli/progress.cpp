#include "progress.h"

#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "memory_limit.h"
#include "output.h"
#include "serval/base/printable.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

constexpr auto kLogPause = std::chrono::seconds(10);
constexpr auto kLinePause = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(ProgressMode mode, std::string path)
    : style_(mode == ProgressMode::None                                   ? Style::Silent
             : mode == ProgressMode::Auto && ::isatty(STDERR_FILENO) == 1 ? Style::Line
                                                                          : Style::Log),
      path_(std::move(path)),
      next_(start_ + (style_ == Style::Line ? std::chrono::nanoseconds(kLinePause)
                                            : std::chrono::nanoseconds(kLogPause))) {}

void Progress::reading(std::uint64_t done, std::uint64_t total) {
  if (style_ == Style::Silent || Clock::now() < next_) return;
  show(total == 0 ? fmt::format("read  {}", format_bytes(done))
                  : fmt::format("read  {:.0f} %  {} of {}",
                                100.0 * static_cast<double>(done) / static_cast<double>(total),
                                format_bytes(done), format_bytes(total)));
}

void Progress::phase(std::string_view name) {
  if (style_ == Style::Line && Clock::now() >= next_) show(std::string(name));
}

void Progress::show(const std::string& text) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string line = fmt::format("{}  {}  {}  {}", printable(path_), text,
                                       format_bytes(peak_rss_bytes()), format_seconds(seconds));
  if (style_ == Style::Line)
    draw("\r\x1b[K" + line);
  else
    note(line);
  drawn_ = style_ == Style::Line;
  next_ = Clock::now() + (style_ == Style::Line ? std::chrono::nanoseconds(kLinePause)
                                                : std::chrono::nanoseconds(kLogPause));
}

void Progress::clear() noexcept {
  if (drawn_) draw("\r\x1b[K");
  drawn_ = false;
}

}  // namespace serval::cli
