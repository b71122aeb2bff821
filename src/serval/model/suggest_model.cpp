#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "serval/model/model.h"

namespace serval {
namespace {

using Functions = std::set<std::string_view>;

Functions functions_of(const ClientHistory& history) {
  Functions functions;
  for (const ClientOperation& operation : history.operations()) functions.insert(history.function(operation));
  return functions;
}

bool within(const Functions& functions, const Functions& allowed) {
  return std::ranges::includes(allowed, functions);
}

// The results of all reads.
std::vector<const FormValue*> answers_in(const ClientHistory& history) {
  std::vector<const FormValue*> answers;
  for (const ClientOperation& operation : history.operations())
    if (operation.ok() && history.function(operation) == "read") answers.push_back(operation.result);
  return answers;
}

bool is_transaction(const FormValue& form) {
  return is_list(form) && !form.parts.empty() && is_list(form.parts.front());
}

std::vector<Model> sets_or_counter(std::size_t reads, const FormValue* answer) {
  if (answer != nullptr && answer->is_scalar()) return {Model::Counter};
  if (reads > 1) return {Model::SetFull, Model::Set};
  return {Model::Set, Model::SetFull};
}

std::vector<Model> registers(const Functions& functions, const FormValue* answer) {
  if (functions.contains("cas") || answer == nullptr || answer->is_scalar()) return {Model::CasRegister};
  if (is_set(*answer)) return {Model::Comments};
  if (is_list(*answer) && answer->parts.size() == 2 && !is_list(answer->parts[0]))
    return is_list(answer->parts[1]) ? std::vector{Model::Sequential} : std::vector{Model::CasRegister};
  return {Model::Comments};
}

bool transactions_of_registers(const ClientHistory& history) {
  return std::ranges::any_of(history.operations(), [&](const ClientOperation& operation) {
    if (!is_transaction(*operation.argument)) return false;
    const FormValue& step = operation.argument->parts.front();
    const std::string_view name = step.parts.empty() ? "" : history.text_in(step.parts.front()).value_or("");
    return name == "read" || name == "write";
  });
}

}  // namespace

std::vector<Model> fitting_models(const ClientHistory& history) {
  const Functions functions = functions_of(history);
  const std::vector<const FormValue*> answers = answers_in(history);
  const auto first = std::ranges::find_if(answers, [](const FormValue* one) { return !one->is_nil(); });
  const FormValue* const answer = first == answers.end() ? nullptr : *first;
  if (functions.empty()) return {};
  if (functions.contains("transfer") && within(functions, {"read", "transfer"})) return {Model::Bank};
  if (within(functions, {"acquire", "release"})) return {Model::Mutex};
  if (functions.contains("add") && within(functions, {"add", "read"}))
    return sets_or_counter(answers.size(), answer);
  if (within(functions, {"append", "get", "put"})) return {Model::KeyValue};
  if (within(functions, {"txn"}) && transactions_of_registers(history)) return {Model::MultiRegister};
  if (!within(functions, {"cas", "read", "write"})) return {};
  if (answer != nullptr && is_map(*answer)) return {Model::Bank, Model::Monotonic};
  if (answer != nullptr && is_transaction(*answer)) return {Model::LongFork};
  return registers(functions, answer);
}

std::string model_hint(const ClientHistory& history) {
  const std::vector<Model> models = fitting_models(history);
  if (models.empty()) return {};
  std::string names;
  for (const Model model : models)
    names += fmt::format("{}--model {}", names.empty() ? "" : " or ", info(model).name);
  const ModelInfo& best = info(models.front());
  const bool linearizable = best.findings.front() == "not-linearizable";
  return fmt::format("this looks like a {} log; to check {}, add {}", best.name,
                     linearizable ? "linearizability" : "it", names);
}

}  // namespace serval
