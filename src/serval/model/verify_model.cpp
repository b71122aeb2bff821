#include "serval/model/verify_model.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace serval {
namespace {

using Operations = std::vector<ClientOperation>;

class FindingProof {
 public:
  FindingProof(Model model, const ClientHistory& history, const ModelOptions& options, const Finding& finding)
      : model_(model), history_(history), options_(options), finding_(finding) {}

  // Whether the finding is correct, by the definition of its kind.
  bool is_correct() const {
    static constexpr std::array kByModel{&FindingProof::bank,      &FindingProof::counter,
                                         &FindingProof::set,       &FindingProof::set,
                                         &FindingProof::long_fork, &FindingProof::monotonic,
                                         &FindingProof::comments,  &FindingProof::sequential};
    const auto model = static_cast<std::size_t>(model_);
    if (model < kByModel.size()) return (this->*kByModel[model])();
    return finding_.kind == "not-linearizable";  // verify_linearizable checks the rest.
  }

 private:
  const Operations& all() const { return history_.operations(); }
  const ClientOperation& at(std::size_t i) const { return all()[finding_.operations.at(i)]; }
  bool is(const ClientOperation& operation, std::string_view f) const {
    return history_.function(operation) == f;
  }
  bool is_answer(const ClientOperation& operation) const { return operation.ok() && is(operation, "read"); }
  std::ptrdiff_t times_in(const ClientOperation& read, Value value) const {
    return std::ranges::count_if(read.result->parts,
                                 [&](const FormValue& part) { return history_.value(part) == value; });
  }
  bool has(const ClientOperation& read, Value value) const { return times_in(read, value) > 0; }

  std::optional<Value> balance(const ClientOperation& read, Value account) const {
    const std::vector<FormValue>& parts = read.result->parts;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
      if (history_.value(parts[i]) == account) return parts[i + 1].scalar;
    return std::nullopt;
  }
  static std::int64_t sum(const ClientOperation& read) {
    std::int64_t out = 0;
    for (std::size_t i = 1; i < read.result->parts.size(); i += 2)
      if (!read.result->parts[i].is_nil()) out += read.result->parts[i].scalar.as_integer();
    return out;
  }

  bool bank() const {
    const ClientOperation* first = nullptr;
    for (const ClientOperation& operation : all())
      if (is_answer(operation) && (first == nullptr || operation.ended < first->ended)) first = &operation;
    if (first == nullptr || !is_answer(at(0))) return false;
    const std::optional<Value> held = balance(at(0), finding_.subject);
    if (finding_.kind == "unexpected-key") return held && !balance(*first, finding_.subject);
    if (finding_.kind == "nil-balance") return held && held->is_nil();
    if (finding_.kind == "wrong-total") return sum(at(0)) != options_.total_amount.value_or(sum(*first));
    return held && held->as_integer() < 0 && options_.negative_balances == NegativeBalances::Forbidden;
  }

  bool counter() const {
    if (!is_answer(at(0))) return false;
    std::int64_t least = 0, most = 0;
    for (const ClientOperation& operation : all()) {
      if (!is(operation, "add") || operation.failed()) continue;
      const std::int64_t amount = operation.argument->scalar.as_integer();
      const bool certain = operation.ok() && operation.ended < at(0).began;
      const bool possible = operation.began < at(0).ended;
      if (certain || (possible && amount < 0)) least += amount;
      if (certain || (possible && amount > 0)) most += amount;
    }
    const std::int64_t value = at(0).result->scalar.as_integer();
    return value < least || value > most;
  }

  bool set() const {
    const Value element = finding_.subject;
    const ClientOperation& read = all()[finding_.operations.back()];
    const auto adds = [&](const ClientOperation& operation) {
      return is(operation, "add") && history_.value(*operation.argument) == element;
    };
    if (finding_.kind == "unexpected")
      return is_answer(read) && has(read, element) && std::ranges::none_of(all(), adds);
    if (finding_.kind == "duplicate") return is_answer(read) && times_in(read, element) > 1;
    if (finding_.kind == "failed-add")
      return is_answer(read) && has(read, element) &&
             std::ranges::all_of(all(),
                                 [&](const ClientOperation& one) { return !adds(one) || one.failed(); });
    const ClientOperation &knower = at(0), &absent = at(1);
    const bool known = knower.ok() && (adds(knower) || (is_answer(knower) && has(knower, element)));
    const bool missed = is_answer(absent) && !has(absent, element) && knower.ended < absent.began;
    if (finding_.kind == "stale") return known && missed && is_answer(at(2)) && has(at(2), element);
    const auto contradicts = [&](const ClientOperation& other) {
      return is_answer(other) && (model_ == Model::Set ? other.ended > absent.ended
                                                       : other.began > absent.began && has(other, element));
    };
    return known && missed && std::ranges::none_of(all(), contradicts);
  }

  std::map<Value, Value> micro_reads(const ClientOperation& operation) const {
    std::map<Value, Value> out;
    for (const FormValue& step : operation.result->parts)
      out[history_.value(step.parts.at(1))] =
          step.parts.size() > 2 ? history_.value(step.parts[2]) : Value::nil();
    return out;
  }

  bool long_fork() const {
    const std::map<Value, Value> one = micro_reads(at(0)), other = micro_reads(at(1));
    bool first_ahead = false, second_ahead = false;
    if (one.size() != other.size()) return false;
    for (const auto& [key, value] : one) {
      const auto match = other.find(key);
      if (match == other.end()) return false;
      first_ahead |= !value.is_nil() && match->second.is_nil();
      second_ahead |= value.is_nil() && !match->second.is_nil();
    }
    return at(0).ok() && at(1).ok() && first_ahead && second_ahead;
  }

  bool monotonic() const {
    const std::size_t size = finding_.operations.size();
    for (std::size_t i = 0; i < size; ++i) {
      const ClientOperation &lower = at(i), &higher = at((i + 1) % size);
      const std::vector<FormValue>& parts = lower.result->parts;
      bool grows = false;
      for (std::size_t k = 0; k + 1 < parts.size(); k += 2) {
        const std::optional<Value> later = balance(higher, history_.value(parts[k]));
        grows |= later && !later->is_nil() && parts[k + 1].is_integer() &&
                 parts[k + 1].scalar.as_integer() < later->as_integer();
      }
      if (!grows || !lower.ok()) return false;
    }
    return size >= 2;
  }

  bool comments() const {
    const ClientOperation& read = all()[finding_.operations.back()];
    const ClientOperation& written = at(0);
    const bool seen = has(read, finding_.subject);
    if (!is_answer(read) || !is(written, "write") || history_.value(*written.argument) != finding_.subject)
      return false;
    if (finding_.kind == "failed-write") return written.failed() && seen;
    if (!written.ok() || seen) return false;
    if (finding_.kind == "stale-read") return written.ended < read.began;
    return is(at(1), "write") && has(read, history_.value(*at(1).argument)) && written.ended < at(1).began;
  }

  bool sequential() const {
    bool seen = false, gap = false;
    for (const FormValue& part : at(0).result->parts.at(1).parts) {
      gap |= seen && part.is_nil();
      seen |= !part.is_nil();
    }
    return is_answer(at(0)) && gap;
  }

  const Model model_;
  const ClientHistory& history_;
  const ModelOptions& options_;
  const Finding& finding_;
};

std::optional<std::string> flaw_in_verdict(const ModelResult& result) {
  if ((result.verdict == ModelVerdict::Violation) == result.findings.empty())
    return "exactly the violations must have findings";
  if ((result.verdict == ModelVerdict::Unknown) == result.reason.empty())
    return "exactly the unknown results must have a reason";
  return std::nullopt;
}

}  // namespace

ModelProof verify_model(Model model, const ClientHistory& history, const ModelOptions& options,
                        const ModelResult& result) {
  if (const std::optional<std::string> flaw = flaw_in_verdict(result)) return {flaw};
  for (const Finding& finding : result.findings) {
    if (options.budget != nullptr) options.budget->look("verify");
    if (!FindingProof(model, history, options, finding).is_correct())
      return {fmt::format("{} is not correct: {}", finding.kind, finding.words)};
  }
  return model < Model::CasRegister ? ModelProof{} : verify_linearizable(model, history, options, result);
}

}  // namespace serval
