#include "model_check.h"

#include <new>
#include <optional>

#include <fmt/format.h>

#include "exit_code.h"
#include "interruption.h"
#include "memory_limit.h"
#include "output.h"
#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/model/suggest_model.h"
#include "serval/model/verify_model.h"
#include "serval/report/model_report.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

class ModelCheck {
 public:
  ModelCheck(const ModelPlan& plan, std::string path)
      : plan_(plan),
        progress_(plan.progress, path),
        start_(Budget::Clock::now()),
        budget_(interruptible().within(start_ + plan.timeout)) {
    report_.version = SERVAL_VERSION;
    report_.path = std::move(path);
    report_.model = plan.model;
    options_ = plan.options;
    options_.budget = &budget_;
  }

  int run(int so_far) {
    Deadline deadline(plan_.timeout, last_words(), worse(so_far, unknown_exit_code()));
    MemoryLimit memory(plan_.memory_limit);
    try {
      read();
      decide();
      verify();
    } catch (const BudgetExhausted& exhausted) {
      phase_ = exhausted.phase();
      stop(caught_signal() != 0 ? "stopped by a signal"
                                : fmt::format("time budget of {} used up", plan_.timeout_text));
    } catch (const std::bad_alloc&) {
      memory.lift();
      stop(fmt::format("memory budget of {} used up", format_bytes(plan_.memory_limit)));
    }
    memory.lift();
    deadline.disarm();
    return publish();
  }

 private:
  void enter(const char* phase) {
    if (!report_.phases.empty()) leave();
    phase_ = phase;
    report_.phases.emplace_back(phase, seconds());
    progress_.phase(phase);
    budget_.look(phase);
  }

  // Turns the start of the last phase into its duration.
  void leave() { report_.phases.back().second = seconds() - report_.phases.back().second; }
  double seconds() const { return std::chrono::duration<double>(Budget::Clock::now() - start_).count(); }

  void read() {
    enter("read");
    LoadedLog loaded = load_jepsen_log(report_.path, plan_.reading, &budget_, progress_);
    report_.format = loaded.format;
    report_.notices = std::move(loaded.notices);
    history_.emplace(std::move(loaded.log));
    report_.history = &*history_;
  }

  void decide() {
    enter("check");
    report_.result = check_model(plan_.model, *history_, options_);
    decided_ = true;
  }

  void verify() {
    if (!plan_.verify) return;
    enter("verify");
    const ModelProof proof = verify_model(plan_.model, *history_, options_, report_.result);
    if (proof.flaw) throw BrokenContract("the evidence does not hold: " + *proof.flaw);
    if (!proof.complete)
      report_.notices.push_back(fmt::format("verification stopped after {} configurations of one object",
                                            format_count(ModelProof::kEffort)));
    else if (report_.result.verdict != ModelVerdict::Unknown)
      report_.verification = Verification::Passed;
  }

  // The verdict stands; only its verification is missing.
  void stop(const std::string& why) {
    if (decided_) {
      report_.notices.push_back(why + " while verifying");
      return;
    }
    report_.result = {};
    report_.result.verdict = ModelVerdict::Unknown;
    report_.result.reason = fmt::format("{} in phase \"{}\"", why, phase_);
  }

  int unknown_exit_code() const { return plan_.unknown_passes ? kHolds : kUndecided; }
  int exit_code() const {
    if (report_.result.verdict == ModelVerdict::Violation) return kViolated;
    if (caught_signal() != 0) return 128 + caught_signal();
    return report_.result.verdict == ModelVerdict::Valid ? static_cast<int>(kHolds) : unknown_exit_code();
  }

  std::string rendered(const ModelReport& report) const {
    return plan_.json ? model_json_report(report) + "\n" : model_text_report(report, plan_.text);
  }
  std::string last_words() const {
    ModelReport words = report_;
    words.result.verdict = ModelVerdict::Unknown;
    words.result.reason = fmt::format("time budget of {} used up", plan_.timeout_text);
    words.exit_code = unknown_exit_code();
    words.budget.seconds = std::chrono::duration<double>(plan_.timeout).count();
    return rendered(words);
  }

  int publish() {
    report_.exit_code = exit_code();
    if (!report_.phases.empty()) leave();
    report_.budget.seconds = seconds();
    report_.budget.peak_rss_bytes = peak_rss_bytes();
    progress_.clear();
    print(rendered(report_));
    return report_.exit_code;
  }

  const ModelPlan& plan_;
  ModelOptions options_;
  Progress progress_;
  Budget::Clock::time_point start_;
  Budget budget_;
  const char* phase_ = "read";
  bool decided_ = false;
  std::optional<ClientHistory> history_;
  ModelReport report_;
};

}  // namespace

int check_file_by_model(const ModelPlan& plan, const std::string& path, int so_far) {
  return ModelCheck(plan, path).run(so_far);
}

ModelHint model_hint_for(const std::string& path, const ReadingFlags& flags, Budget& budget) {
  if (path == "-") return {};
  try {
    Progress silent(ProgressMode::None, path);
    const ClientHistory history(load_jepsen_log(path, flags, &budget, silent).log);
    const std::vector<Model> models = fitting_models(history);
    return {model_hint(history), models.empty() ? "" : std::string(info(models.front()).name)};
  } catch (const InputError&) {
    return {};  // The first error says what is wrong.
  }
}

}  // namespace serval::cli
