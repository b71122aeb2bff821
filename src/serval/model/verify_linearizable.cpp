#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "serval/model/verify_model.h"

namespace serval {
namespace {

// What every object holds: a string representing its value.
using State = std::map<Value, std::string>;

std::string mark(Value value) { return std::to_string(value.bits()); }

// Directly from the definitions of the models.
class Replay {
 public:
  Replay(Model model, const ClientHistory& history, const ModelOptions& options, bool keyed)
      : model_(model), history_(history), options_(options), keyed_(keyed) {}

  // Whether the operation fits; if so, changes the state.
  bool apply(State& state, const ClientOperation& operation) const {
    switch (model_) {
      case Model::CasRegister:
        return apply_register(state, operation);
      case Model::Mutex:
        return apply_mutex(state, operation);
      case Model::MultiRegister:
        return apply_transaction(state, operation);
      default:
        return apply_text(state, operation);
    }
  }

  // Operations that must or may take effect: not failed ones, and not reads without a result.
  bool counts(const ClientOperation& operation) const {
    const std::string_view f = history_.function(operation);
    if (model_ == Model::MultiRegister && operation.argument->parts.empty()) return false;
    if (operation.failed()) return f == "cas" && options_.failed_cas == FailedCas::Mismatch;
    return operation.ok() || (f != "read" && f != "get");
  }

 private:
  std::string& held(State& state, Value key) const {
    return state
        .try_emplace(key, model_ == Model::Mutex      ? "free"
                          : model_ == Model::KeyValue ? ""
                                                      : mark(history_.parse_value(options_.initial)))
        .first->second;
  }

  bool apply_register(State& state, const ClientOperation& operation) const {
    const auto plain = [&](const FormValue& form) -> const FormValue& {
      return keyed_ ? form.parts.at(1) : form;
    };
    const Value key = keyed_ ? history_.value(operation.argument->parts.at(0)) : Value::nil();
    std::string& value = held(state, key);
    const std::string_view f = history_.function(operation);
    if (f == "read") return value == mark(history_.value(plain(*operation.result)));
    const FormValue& argument = plain(*operation.argument);
    if (f == "write") {
      value = mark(history_.value(argument));
      return true;
    }
    const bool matches = value == mark(history_.value(argument.parts.at(0)));
    if (operation.failed()) return !matches;
    if (matches) value = mark(history_.value(argument.parts.at(1)));
    return matches;
  }

  bool apply_mutex(State& state, const ClientOperation& operation) const {
    std::string& value = held(state, Value::nil());
    const bool acquires = history_.function(operation) == "acquire";
    if (value != (acquires ? "free" : "held")) return false;
    value = acquires ? "held" : "free";
    return true;
  }

  bool apply_transaction(State& state, const ClientOperation& operation) const {
    for (const FormValue& step : (operation.ok() ? operation.result : operation.argument)->parts) {
      std::string& value = held(state, history_.value(step.parts.at(1)));
      const std::string_view name = history_.text_in(step.parts.at(0)).value_or("");
      const bool writes = name == "w" || name == "write";
      const std::string reported = mark(step.parts.size() > 2 ? history_.value(step.parts[2]) : Value::nil());
      if (writes) value = reported;
      if (!writes && operation.ok() && value != reported) return false;
    }
    return true;
  }

  bool apply_text(State& state, const ClientOperation& operation) const {
    std::string& value = held(state, history_.key(operation));
    const std::string_view f = history_.function(operation);
    const std::string_view text =
        history_.text_in(f == "get" ? *operation.result : *operation.argument).value_or("");
    if (f == "get") return value == text;
    if (f == "put") value.clear();
    value += text;
    return true;
  }

  Model model_;
  const ClientHistory& history_;
  const ModelOptions& options_;
  bool keyed_;
};

// Re-proves the claim about one part.
class PartProof {
 public:
  PartProof(const Replay& replay, const ClientHistory& history, const LinearizedPart& part,
            std::vector<std::uint32_t> members, Budget& budget)
      : replay_(replay), history_(history), part_(part), members_(std::move(members)), budget_(budget) {}

  ModelProof check() {
    if (const std::optional<std::string> flaw = replay()) return {flaw};
    return part_.stuck == ClientOperation::kNever ? ModelProof{} : search();
  }

 private:
  const ClientOperation& operation(std::uint32_t i) const { return history_.operations()[i]; }
  std::uint32_t limit() const {
    return part_.stuck == ClientOperation::kNever ? ClientOperation::kNever : operation(part_.stuck).ended;
  }

  // The order fits, respects real time, and contains every operation that ended before the stuck one.
  std::optional<std::string> replay() const {
    State state;
    std::uint32_t latest_begin = 0;
    std::set<std::uint32_t> placed;
    for (const std::uint32_t i : part_.order) {
      if (!placed.insert(i).second) return "an operation is placed twice";
      if (!operation(i).lost() && operation(i).ended < latest_begin)
        return "an operation is placed after one that began after its end";
      latest_begin = std::max(latest_begin, operation(i).began);
      if (!replay_.apply(state, operation(i)))
        return fmt::format("{} does not fit", history_.format(operation(i)));
    }
    for (const std::uint32_t i : members_)
      if (!operation(i).lost() && operation(i).ended < limit() && !placed.contains(i))
        return fmt::format("{} is not placed", history_.format(operation(i)));
    return latest_begin < limit()
               ? std::nullopt
               : std::optional<std::string>("the order extends beyond the stuck operation");
  }

  // A configuration: which of the open operations have taken effect, and the state.
  using Configuration = std::pair<std::set<std::uint32_t>, State>;

  // Walks from event to event with all configurations that are possible there (Lowe 2017, section 2).
  // When the stuck operation ends, none may remain.
  ModelProof search() {
    std::map<std::uint32_t, std::uint32_t> begins, ends;
    for (const std::uint32_t i : members_) {
      begins[operation(i).began] = i;
      if (!operation(i).lost()) ends[operation(i).ended] = i;
    }
    std::set<std::uint32_t> open;
    std::set<Configuration> all{{}};
    for (std::uint32_t at = 0; at <= limit(); ++at) {
      if (const auto begin = begins.find(at); begin != begins.end()) open.insert(begin->second);
      const auto end = ends.find(at);
      if (end == ends.end()) continue;
      all = after_end(all, open, end->second);
      if (effort_ > ModelProof::kEffort) return {std::nullopt, false};
      open.erase(end->second);
      if (all.empty() && at != limit())
        return {"the history is not linearizable even before the stuck operation"};
    }
    return all.empty() ? ModelProof{} : ModelProof{"the stuck operation can be placed"};
  }

  std::set<Configuration> after_end(const std::set<Configuration>& before,
                                    const std::set<std::uint32_t>& open, std::uint32_t ending) {
    std::set<Configuration> reached = before, next;
    std::vector<Configuration> work(before.begin(), before.end());
    while (!work.empty() && effort_ <= ModelProof::kEffort) {
      budget_.look("verify");
      const Configuration one = std::move(work.back());
      work.pop_back();
      ++effort_;
      if (one.first.contains(ending)) {
        Configuration done = one;
        done.first.erase(ending);
        next.insert(std::move(done));
        continue;
      }
      for (const std::uint32_t i : open) {
        Configuration more = one;
        if (!more.first.insert(i).second || !replay_.apply(more.second, operation(i))) continue;
        if (reached.insert(more).second) work.push_back(std::move(more));
      }
    }
    return next;
  }

  const Replay& replay_;
  const ClientHistory& history_;
  const LinearizedPart& part_;
  std::vector<std::uint32_t> members_;
  Budget& budget_;
  std::uint64_t effort_ = 0;
};

// Assigns every operation that counts to the part of its object.
class PartMembers {
 public:
  PartMembers(Model model, const ClientHistory& history, const ModelResult& result)
      : model_(model), history_(history), result_(result) {
    if (model_ == Model::MultiRegister) learn_keys();
  }

  std::optional<std::size_t> part_of(const ClientOperation& operation) const {
    if (result_.parts.size() == 1 && result_.parts.front().name.empty()) return 0;
    if (model_ == Model::MultiRegister) return part_of_keys(keys_of(operation));
    const Value key = model_ == Model::KeyValue           ? history_.key(operation)
                      : operation.argument->parts.empty() ? Value::nil()
                                                          : history_.value(operation.argument->parts.front());
    const auto found = std::ranges::find(result_.parts, history_.format(key), &LinearizedPart::name);
    return found == result_.parts.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - result_.parts.begin()));
  }

 private:
  // The keys of a transaction; for a lost one only those it writes, since its reads have no results.
  std::vector<Value> keys_of(const ClientOperation& operation) const {
    std::vector<Value> keys;
    if (operation.failed()) return keys;
    for (const FormValue& step : operation.argument->parts) {
      const std::string_view name = history_.text_in(step.parts.at(0)).value_or("");
      if (operation.ok() || name == "w" || name == "write") keys.push_back(history_.value(step.parts.at(1)));
    }
    return keys;
  }
  std::optional<std::size_t> part_of_keys(const std::vector<Value>& keys) const {
    for (const Value key : keys)
      if (const auto found = part_with_key_.find(key); found != part_with_key_.end()) return found->second;
    return std::nullopt;
  }

  // The name of a part is one of its keys; keys used together are in one part.
  void learn_keys() {
    for (const ClientOperation& operation : history_.operations())
      for (const Value key : keys_of(operation))
        for (std::size_t i = 0; i < result_.parts.size(); ++i)
          if (history_.format(key) == result_.parts[i].name) part_with_key_[key] = i;
    for (std::size_t before = 0; before != part_with_key_.size();) {
      before = part_with_key_.size();
      for (const ClientOperation& operation : history_.operations()) {
        const std::vector<Value> keys = keys_of(operation);
        if (const std::optional<std::size_t> part = part_of_keys(keys))
          for (const Value key : keys) part_with_key_.try_emplace(key, *part);
      }
    }
  }

  Model model_;
  const ClientHistory& history_;
  const ModelResult& result_;
  std::map<Value, std::size_t> part_with_key_;
};

}  // namespace

ModelProof verify_linearizable(Model model, const ClientHistory& history, const ModelOptions& options,
                               const ModelResult& result) {
  Budget unlimited = Budget::unlimited();
  const bool keyed = !result.parts.empty() && !result.parts.front().name.empty();
  const Replay replay(model, history, options, keyed);
  const PartMembers assignment(model, history, result);
  std::vector<std::vector<std::uint32_t>> members(result.parts.size());
  for (std::uint32_t i = 0; i < history.operations().size(); ++i) {
    if (!replay.counts(history.operations()[i])) continue;
    const std::optional<std::size_t> part = assignment.part_of(history.operations()[i]);
    if (part)
      members[*part].push_back(i);
    else if (history.operations()[i].ok())
      return {fmt::format("{} is not in any part", history.format(history.operations()[i]))};
  }
  ModelProof whole;
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    ModelProof one = PartProof(replay, history, result.parts[i], std::move(members[i]),
                               options.budget != nullptr ? *options.budget : unlimited)
                         .check();
    if (one.flaw) return one;
    whole.complete = whole.complete && one.complete;
  }
  return whole;
}

}  // namespace serval
