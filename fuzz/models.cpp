// Operations of Jepsen files, judged by every model. Each answer is proved again.

#include <chrono>

#include "serval/base/error.h"
#include "serval/formats/jepsen/jepsen_log.h"
#include "serval/model/model.h"
#include "serval/model/verify_model.h"
#include "target.h"

namespace serval::fuzz {
namespace {

void judge(const ModelInfo& model, const ClientHistory& history) {
  Budget budget = Budget::until(Budget::Clock::now() + std::chrono::milliseconds(200));
  const ModelOptions options{.budget = &budget};
  try {
    const ModelResult result = check_model(model.model, history, options);
    const ModelProof proof = verify_model(model.model, history, options, result);
    if (proof.flaw) throw Defect(std::string(model.name) + ": " + *proof.flaw);
  } catch (const InputError&) {  // Not an operation of the model.
  } catch (const BudgetExhausted&) {
  }
}

void judge_by_all(std::string_view bytes) {
  try {
    ByteStream stream = ByteStream::from_memory("fuzz", std::string(bytes));
    const ClientHistory history(read_jepsen_log(stream));
    for (const ModelInfo& model : all_models()) judge(model, history);
  } catch (const InputError&) {
  }
}

}  // namespace

Target model_target() { return {"model", "Jepsen operations, judged by every model", judge_by_all}; }

}  // namespace serval::fuzz
