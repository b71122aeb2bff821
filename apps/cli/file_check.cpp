#include "file_check.h"

#include <chrono>
#include <new>

#include <fmt/format.h>

#include "interruption.h"
#include "serval/report/quantity.h"

namespace serval::cli {

FileCheck::FileCheck(const CheckPlan& plan, std::string path)
    : plan_(plan),
      path_(std::move(path)),
      progress_(plan.progress, path_),
      start_(Budget::Clock::now()),
      budget_(interruptible().within(start_ + plan.timeout)) {}

int FileCheck::run(int so_far) {
  const Ending unknown{.exit_code = exit_code_of_unknown(),
                       .seconds = std::chrono::duration<double>(plan_.timeout).count()};
  Deadline deadline(plan_.timeout, last_words(unknown), worse(so_far, unknown.exit_code));
  MemoryLimit memory(plan_.memory_limit);
  try {
    judge();
    deadline.disarm();
    look_further(so_far);
  } catch (const BudgetExhausted& exhausted) {
    phase_ = exhausted.phase();
    const bool time = exhausted.cause() == BudgetExhausted::Cause::TimeBudget || caught_signal() == 0;
    stop(time ? Limit::Time : Limit::Signal);
  } catch (const std::bad_alloc&) {
    memory.lift();
    stop(Limit::Memory);
  }
  memory.lift();
  deadline.disarm();
  const int code = exit_code();
  finish({.exit_code = code, .seconds = seconds(), .peak_rss_bytes = peak_rss_bytes()});
  progress_.clear();
  print(rendered());
  write_files();
  return code;
}

void FileCheck::enter(const char* phase) {
  phase_ = phase;
  entered_.emplace_back(phase, seconds());
  progress_.phase(phase);
  budget_.look(phase);
}

int FileCheck::exit_code_of_unknown() const {
  return worse(plan_.unknown_passes ? kHolds : kUndecided, other_exit_code());
}

int FileCheck::exit_code() const {
  if (answer() == Answer::Violated) return kViolated;
  if (caught_signal() != 0) return worse(128 + caught_signal(), other_exit_code());
  return answer() == Answer::Holds ? other_exit_code() : exit_code_of_unknown();
}

double FileCheck::seconds() const {
  return std::chrono::duration<double>(Budget::Clock::now() - start_).count();
}

std::string FileCheck::words_of(Limit limit) const {
  switch (limit) {
    case Limit::Time:
      return fmt::format("time budget of {} used up", plan_.timeout_text);
    case Limit::Memory:
      return fmt::format("memory budget of {} used up", format_bytes(plan_.memory_limit));
    case Limit::Signal:
      break;
  }
  return "stopped by a signal";
}

std::vector<std::pair<std::string_view, double>> FileCheck::phases() const {
  std::vector<std::pair<std::string_view, double>> out;
  double end = seconds();
  for (auto at = entered_.rbegin(); at != entered_.rend(); ++at) {
    out.insert(out.begin(), {at->first, end - at->second});
    end = at->second;
  }
  return out;
}

}  // namespace serval::cli
