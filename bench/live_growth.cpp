// What does one more check of a growing recording cost, as the recording becomes longer? The file is
// processed in equal steps: by the screen, which sees only what is new, and by a check of everything so
// far.
//
//   live_growth FILE.jsonl LEVEL [STEPS]      default: 10 steps

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "processor_time.h"
#include "serval/check/check.h"
#include "serval/formats/format.h"
#include "serval/screen/history_screen.h"
#include "serval/watch/recording_tail.h"

namespace {

using serval::Budget;
using serval::HistoryScreen;
using serval::Level;
using serval::watch::RecordingTail;

class Screening {
 public:
  explicit Screening(Level level) : level_(level) {}

  void take(std::string_view bytes) {
    tail_.take(bytes);
    RecordingTail::Batch batch;
    while (tail_.parse(batch, budget_)) {
      if (!screen_) screen_.emplace(level_, tail_.initial());
      for (serval::ScreenedTransaction& transaction : batch.transactions)
        screen_->add(std::move(transaction));
      screen_->settle(batch.open);
    }
  }
  const HistoryScreen& screen() const { return *screen_; }

 private:
  Level level_;
  Budget budget_ = Budget::unlimited();
  RecordingTail tail_{""};
  std::optional<HistoryScreen> screen_;
};

double seconds_to_check(std::string text, Level level) {
  const double start = serval::processor_seconds();
  serval::ByteStream stream = serval::ByteStream::from_memory("prefix", std::move(text));
  const serval::History history = serval::read_history(stream, {.format = serval::Format::Jsonl});
  const serval::CheckResult result = serval::check(history, level, {.max_anomalies = 1});
  return serval::processor_seconds() - start;
}

constexpr std::string_view kStates[] = {"clear", "open", "suspicious", "lost"};

void run(const std::string& text, Level level, std::size_t steps) {
  Screening screening(level);
  std::uint64_t before = 0;
  std::size_t taken = 0;
  fmt::print("{:>12} {:>14} {:>12} {:>14} {:>12}  state\n", "transactions", "screen, step", "us per txn",
             "whole check", "screen MiB");
  for (std::size_t step = 1; step <= steps; ++step) {
    const std::size_t end = text.size() * step / steps;
    const double start = serval::processor_seconds();
    constexpr std::size_t kPiece = 1 << 20;
    for (; taken < end; taken = std::min(end, taken + kPiece))
      screening.take(std::string_view(text).substr(taken, std::min(kPiece, end - taken)));
    const double seconds = serval::processor_seconds() - start;
    const HistoryScreen& screen = screening.screen();
    const double count =
        static_cast<double>(screen.transactions() - std::exchange(before, screen.transactions()));
    const double whole = seconds_to_check(text.substr(0, end), level);
    fmt::print("{:>12} {:>12.3f} s {:>12.2f} {:>12.3f} s {:>12.1f}  {} {}\n", screen.transactions(), seconds,
               seconds / count * 1e6, whole, static_cast<double>(screen.bytes()) / (1 << 20),
               kStates[static_cast<int>(screen.state())], screen.reason());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto level = argc < 3 ? std::nullopt : serval::find_level(argv[2]);
  if (!level || !HistoryScreen::followed_level(*level)) {
    fmt::print(stderr, "live_growth FILE.jsonl LEVEL [STEPS]\n");
    return 64;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  run(text, *level, argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 10);
}
