#include "check_plan.h"

#include <memory>

#include "choices.h"
#include "exit_code.h"
#include "failure.h"
#include "file_check.h"
#include "interruption.h"
#include "level_check.h"
#include "mirror_check.h"
#include "model_check.h"
#include "quantities.h"
#include "serval/base/error.h"

namespace serval::cli {
namespace {

std::unique_ptr<FileCheck> check_of(const CheckPlan& plan, const std::string& path) {
  if (plan.mirror) return check_by_mirror(plan, path);
  if (plan.model) return check_by_model(plan, path);
  return check_by_level(plan, path);
}

// An unreadable file must not prevent the others from being checked.
int check_one(const CheckPlan& plan, const std::string& path, int so_far) {
  try {
    return check_of(plan, path)->run(so_far);
  } catch (const OutputError&) {
    throw;  // Nothing can be printed any more.
  } catch (...) {
    const Failure failure = describe_current_exception();
    note(failure.drawing);
    if (plan.json) print(json_of_current_exception(path) + "\n");
    return failure.exit_code;
  }
}

}  // namespace

void apply(const ReportFlags& flags, CheckPlan& plan) {
  if (!flags.max_anomalies.empty()) plan.max_anomalies = parse_count("--max-anomalies", flags.max_anomalies);
  if (plan.max_anomalies == 0) throw UsageError("--max-anomalies must be at least 1");
  plan.text.colour = wants_colour(choose_colour(flags.colour));
  plan.text.brief = flags.quiet;
  plan.text.most_of_survey = flags.max_anomalies.empty() ? 1 : plan.max_anomalies;
  plan.text.width = page_width();
}

int check_files(const CheckPlan& plan, const std::vector<std::string>& paths) {
  catch_signals();
  int worst = kHolds;
  for (const std::string& path : paths) {
    worst = worse(worst, check_one(plan, path, worst));
    if (caught_signal() != 0) break;
  }
  return worst;
}

}  // namespace serval::cli
