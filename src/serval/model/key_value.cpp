// Strings by key, with get, put and append, must be linearizable; a key starts as the empty string. After Porcupine's
// model of the key-value stores that students build. Every operation has a :key field.

#include <map>
#include <string>

#include <absl/container/flat_hash_map.h>

#include "serval/model/checkers.h"
#include "serval/model/linearizable_parts.h"

namespace serval {
namespace {

enum class Step : std::uint8_t { Get, Put, Append };

struct KeyValueOperation {
  Step step;
  std::string_view text;  // Read, put or appended.
};

// A state is the number of a string; 0 is the empty one.
class StringObject {
 public:
  explicit StringObject(std::vector<KeyValueOperation> operations) : operations_(std::move(operations)) {
    number_of("");
    absl::flat_hash_map<std::pair<Step, std::string_view>, std::uint32_t> kinds;
    for (const KeyValueOperation& one : operations_)
      kinds_.push_back(
          kinds.try_emplace({one.step, one.text}, static_cast<std::uint32_t>(kinds.size())).first->second);
  }

  static std::uint64_t initial() { return 0; }
  std::optional<std::uint64_t> apply(std::uint64_t state, std::uint32_t operation) {
    const KeyValueOperation& one = operations_[operation];
    if (one.step == Step::Get) return *strings_[state] == one.text ? std::optional(state) : std::nullopt;
    if (one.step == Step::Put) return number_of(one.text);
    const auto [known, is_new] = appended_.try_emplace({state, kinds_[operation]}, 0);
    if (is_new) {
      const std::uint64_t number = number_of(*strings_[state] + std::string(one.text));
      appended_[{state, kinds_[operation]}] = number;
      return number;
    }
    return known->second;
  }
  bool observes_only(std::uint32_t operation) const { return operations_[operation].step == Step::Get; }
  bool hides(std::uint32_t later, std::uint32_t) const { return operations_[later].step == Step::Put; }
  std::uint32_t kind_of_lost(std::uint32_t operation) const { return kinds_[operation]; }
  const std::string& text(std::uint64_t state) const { return *strings_[state]; }

 private:
  std::uint64_t number_of(std::string_view text) {
    const auto [place, is_new] = numbers_.try_emplace(std::string(text), strings_.size());
    if (is_new) strings_.push_back(&place->first);
    return place->second;
  }

  std::vector<KeyValueOperation> operations_;
  std::vector<std::uint32_t> kinds_;  // Equal for equal operations.
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
  std::vector<const std::string*> strings_;
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> appended_;
};

struct Store {
  ObjectPart part;
  std::vector<KeyValueOperation> operations;
};

std::string_view text_of(const ClientHistory& history, const ClientOperation& operation,
                         const FormValue& term) {
  if (term.is_nil()) return "";
  const std::optional<std::string_view> text = history.text_in(term);
  if (!text) throw history.error(operation, "expected text");
  return *text;
}

KeyValueOperation decode(const ClientHistory& history, const ClientOperation& operation) {
  const std::string_view function = history.function(operation);
  if (function == "get") return {Step::Get, text_of(history, operation, *operation.result)};
  return {function == "put" ? Step::Put : Step::Append, text_of(history, operation, *operation.argument)};
}

}  // namespace

ModelResult check_key_value(const ClientHistory& history, const ModelOptions& options) {
  std::map<Value, Store> stores;
  for (std::uint32_t i = 0; i < history.operations().size(); ++i) {
    const ClientOperation& operation = history.operations()[i];
    if (operation.failed() || (operation.lost() && history.function(operation) == "get")) continue;
    const Value key = history.key(operation);
    if (key.is_nil()) throw history.error(operation, "expected a :key field");
    Store& store = stores[key];
    if (store.part.name.empty()) store.part.name = history.spell(key);
    store.part.operations.push_back(i);
    store.operations.push_back(decode(history, operation));
  }
  LinearizableParts parts(history, options);
  for (auto& [key, store] : stores) {
    StringObject object(store.operations);
    parts.judge(store.part, call_spans(history, store.part), object, [&](std::uint64_t state, std::uint32_t) {
      return fmt::format("the key holds \"{}\"", shortened(object.text(state)));
    });
  }
  return std::move(parts).finish();
}

}  // namespace serval
