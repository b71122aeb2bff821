#include "run_watch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "interruption.h"
#include "output.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

constexpr double kTerminalSeconds = 0.5;
constexpr double kLogSeconds = 10;
constexpr const char* kClearLine = "\r\x1b[K";

// "1,308 aborted (310 serialization, 998 rolled back)": aborted transactions by cause. The workload
// itself rolls back the latter.
std::string spelled_aborts(const CampaignCounts& counts) {
  std::string causes;
  const auto add = [&](std::uint64_t number, std::string_view cause) {
    if (number > 0)
      causes += fmt::format("{}{} {}", causes.empty() ? " (" : ", ", format_count(number), cause);
  };
  for (const auto& [cause, number] : counts.aborted) add(number, name_of(cause));
  add(counts.rolled_back, "rolled back");
  return fmt::format("{} aborted{}{}", format_count(counts.aborted_in_all() + counts.rolled_back), causes,
                     causes.empty() ? "" : ")");
}

std::string spelled_counts(const CampaignCounts& counts, double seconds) {
  const double rate = static_cast<double>(counts.committed) / std::max(seconds, 1e-9);
  std::string line =
      fmt::format("{:.1f} s   {} committed ({}/s)   {}", seconds, format_count(counts.committed),
                  format_count(static_cast<std::uint64_t>(rate)), spelled_aborts(counts));
  if (counts.indeterminate > 0)
    line += fmt::format("   {} indeterminate", format_count(counts.indeterminate));
  if (counts.reconnections > 0)
    line += fmt::format("   {}", format_count(counts.reconnections, "new connection"));
  return line +
         fmt::format("   p99 {}", format_seconds(static_cast<double>(counts.latency.quantile(0.99)) * 1e-9));
}

// A wrapped line could not be removed again.
std::string fitted(std::string line) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return line;
  while (display_width(line) >= size.ws_col) line.pop_back();
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80) != 0) line.pop_back();
  return line;
}

}  // namespace

RunWatch::RunWatch(Campaign& campaign, const watch::LiveCheck* live, const WatchOptions& options)
    : campaign_(campaign),
      live_(live),
      options_(options),
      terminal_(options.progress == ProgressMode::Auto && ::isatty(STDERR_FILENO) == 1),
      thread_([this] { run(); }) {}

std::string RunWatch::totals() const { return spelled_counts(campaign_.counts(), seconds()); }

void RunWatch::stop() noexcept {
  over_ = true;
  if (thread_.joinable()) thread_.join();
}

void RunWatch::run() {
  const double pause = terminal_ ? kTerminalSeconds : kLogSeconds;
  double next = pause;
  while (!over_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (caught_signal() != 0) campaign_.stop();
    look_at_findings();
    if (options_.progress == ProgressMode::None || seconds() < next) continue;
    next += pause;
    std::string line = totals();
    if (live_ != nullptr) line += "   " + spelled(live_->state(), Clock::now());
    terminal_ ? draw(kClearLine + fitted(std::move(line))) : note(line);
  }
  if (terminal_) draw(kClearLine);
}

// The first violation is always reported, even with --progress none.
void RunWatch::look_at_findings() {
  if (live_ == nullptr || told_) return;
  const watch::LiveState state = live_->state();
  if (!state.violated()) return;
  told_ = true;
  if (terminal_) draw(kClearLine);
  note(fmt::format("violation  found after {:.1f} s   {}", seconds(), spelled(state, Clock::now())));
  if (options_.stop_on_violation) campaign_.stop();
}

}  // namespace serval::cli
