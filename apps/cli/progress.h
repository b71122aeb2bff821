#pragma once
// Progress on standard error: one updating line on a terminal, otherwise at most one line per ten
// seconds.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace serval::cli {

enum class ProgressMode { Auto, Plain, None };

class Progress {
 public:
  Progress(ProgressMode mode, std::string path);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void reading(std::uint64_t done, std::uint64_t total);
  void phase(std::string_view name);
  void clear() noexcept;  // Removes the updating line.

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& text);

  enum class Style { Line, Log, Silent } style_;
  std::string path_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace serval::cli
