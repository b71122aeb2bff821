#pragma once
// One file under serval check: read, judge within the limits, report, exit code. Derived classes judge
// by level (level_check.h), by model (model_check.h) or by the mirror (mirror_check.h).

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check_plan.h"
#include "exit_code.h"
#include "serval/base/budget.h"

namespace serval::cli {

class FileCheck {
 public:
  FileCheck(const CheckPlan& plan, std::string path);
  virtual ~FileCheck() = default;
  FileCheck(const FileCheck&) = delete;
  FileCheck& operator=(const FileCheck&) = delete;

  // Prints the report and returns the exit code. `so_far` is the exit code of the previous files.
  int run(int so_far);

 protected:
  enum class Answer : std::uint8_t { Holds, Violated, Open };
  enum class Limit : std::uint8_t { Time, Memory, Signal };
  // The numbers at the end of a report.
  struct Ending {
    int exit_code = 0;
    double seconds = 0;
    std::uint64_t peak_rss_bytes = 0;
  };

  // Reads the file and answers. Throws BudgetExhausted and std::bad_alloc at the limits, InputError.
  virtual void judge() = 0;
  // Adds to the report after an answer. It has its own limits and must not endanger the answer.
  virtual void look_further(int /*so_far*/) {}
  // A limit ended judge() or look_further().
  virtual void stop(Limit limit) = 0;
  virtual Answer answer() const = 0;
  // For other problems, independent of the answer.
  virtual int other_exit_code() const { return kHolds; }

  virtual void finish(const Ending& ending) = 0;
  virtual std::string rendered() const = 0;
  // The report if the judge does not stop when its time is up.
  virtual std::string last_words(const Ending& ending) const = 0;
  // Called after the report was printed.
  virtual void write_files() const {}

  void enter(const char* phase);
  int exit_code() const;
  double seconds() const;
  // "time budget of 10m used up"
  std::string words_of(Limit limit) const;
  // The phases so far and their seconds, in order.
  std::vector<std::pair<std::string_view, double>> phases() const;

  const CheckPlan& plan_;
  const std::string path_;
  Progress progress_;
  Budget::Clock::time_point start_;
  Budget budget_;
  const char* phase_ = "read";

 private:
  int exit_code_of_unknown() const;

  std::vector<std::pair<const char*, double>> entered_;  // Phases, and when they began.
};

}  // namespace serval::cli
