#include "model_check.h"

#include <optional>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/model/verify_model.h"
#include "serval/report/model_report.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

class ModelCheck final : public FileCheck {
 public:
  ModelCheck(const CheckPlan& plan, const std::string& path)
      : FileCheck(plan, path), model_(plan.model->model), options_(plan.model->options) {
    report_.version = SERVAL_VERSION;
    report_.path = path;
    report_.model = model_;
    options_.max_findings = plan.max_anomalies;
    options_.budget = &budget_;
  }

 private:
  void judge() override {
    read();
    decide();
    verify();
  }

  void read() {
    enter("read");
    LoadedLog loaded = load_jepsen_log(path_, plan_.reading, &budget_, progress_);
    report_.format = loaded.format;
    report_.notices = std::move(loaded.notices);
    history_.emplace(std::move(loaded.log));
    report_.history = &*history_;
  }

  void decide() {
    enter("check");
    report_.result = check_model(model_, *history_, options_);
    decided_ = true;
  }

  void verify() {
    if (!plan_.verify) return;
    enter("verify");
    const ModelProof proof = verify_model(model_, *history_, options_, report_.result);
    if (proof.flaw) throw BrokenContract("the evidence does not hold: " + *proof.flaw);
    if (!proof.complete)
      report_.notices.push_back(fmt::format("verification stopped after {} configurations of one object",
                                            format_count(ModelProof::kEffort)));
    else if (report_.result.verdict != ModelVerdict::Unknown)
      report_.verification = Verification::Passed;
  }

  // The verdict remains valid; only its verification is missing.
  void stop(Limit limit) override {
    if (decided_) {
      report_.notices.push_back(words_of(limit) + " while verifying");
      return;
    }
    report_.result = unknown(fmt::format("{} in phase \"{}\"", words_of(limit), phase_));
  }
  static ModelResult unknown(std::string reason) {
    ModelResult out;
    out.verdict = ModelVerdict::Unknown;
    out.reason = std::move(reason);
    return out;
  }

  Answer answer() const override {
    if (report_.result.verdict == ModelVerdict::Violation) return Answer::Violated;
    return report_.result.verdict == ModelVerdict::Valid ? Answer::Holds : Answer::Open;
  }

  void finish(const Ending& ending) override {
    report_.phases = phases();
    end(report_, ending);
  }
  static void end(ModelReport& report, const Ending& ending) {
    report.exit_code = ending.exit_code;
    report.budget.seconds = ending.seconds;
    report.budget.peak_rss_bytes = ending.peak_rss_bytes;
  }

  std::string rendered() const override { return rendered(report_); }
  std::string rendered(const ModelReport& report) const {
    return plan_.json ? model_json_report(report) + "\n" : model_text_report(report, plan_.text);
  }
  std::string last_words(const Ending& ending) const override {
    ModelReport words = report_;
    words.result = unknown(words_of(Limit::Time));
    end(words, ending);
    return rendered(words);
  }

  Model model_;
  ModelOptions options_;
  bool decided_ = false;
  std::optional<ClientHistory> history_;
  ModelReport report_;
};

}  // namespace

std::unique_ptr<FileCheck> check_by_model(const CheckPlan& plan, const std::string& path) {
  return std::make_unique<ModelCheck>(plan, path);
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
