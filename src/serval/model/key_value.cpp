// Strings by key, with get, put and append, must be linearizable; a key starts as the empty string.
// After Porcupine's model of the key-value stores that students build. Every operation has a :key field.

#include <algorithm>
#include <map>
#include <string>

#include <absl/container/flat_hash_map.h>

#include "serval/model/checkers.h"
#include "serval/model/linearizable_parts.h"

namespace serval {
namespace {

enum class StringStep : std::uint8_t { Get, Put, Append };
struct StringOperation {
  StringStep kind = StringStep::Get;
  std::string_view text;  // The text returned, put or appended.
};

// An object for LinearizationSearch.
//
// Before the next put, only a string that some get returned, or a prefix of one, can matter; all others
// are one state, kHopeless. So concurrent appends that nobody saw cost their subsets, not their
// permutations. A state from which the next get to end can no longer obtain its result is abandoned at
// once.
class StringObject {
 public:
  StringObject(std::vector<StringOperation> operations, std::span<const CallSpan> spans);

  std::uint64_t initial() const { return initial_; }
  std::optional<std::uint64_t> apply(std::uint64_t state, std::uint32_t operation);
  bool observes_only(std::uint32_t operation) const { return operations_[operation].kind == StringStep::Get; }
  bool hides(std::uint32_t later, std::uint32_t) const { return operations_[later].kind == StringStep::Put; }
  std::uint32_t kind_of(std::uint32_t operation) const { return kinds_[operation]; }
  // Whether the waiting get that ends first can no longer return its result.
  bool is_hopeless(std::uint64_t state, const WaitingOperations& waiting) const;

 private:
  static constexpr std::uint64_t kHopeless = ~std::uint64_t{0};

  std::uint64_t state_of(std::string_view front, std::string_view back) const;
  std::string_view text_of(std::uint64_t state) const {
    return answers_.empty() ? "" : answers_[state >> 32].substr(0, state & 0xFFFFFFFFu);
  }

  std::vector<StringOperation> operations_;
  std::span<const CallSpan> spans_;
  std::vector<std::string_view> answers_;  // Results of all gets, sorted, without duplicates.
  // A state is the first result that starts with its string, and the length of the string.
  std::vector<std::uint64_t> own_states_;  // By operation: the state for its text.
  std::uint64_t initial_ = kHopeless;
  std::vector<std::uint32_t> kinds_;  // Equal for equal operations.
  std::vector<std::uint32_t> lost_puts_;
  absl::flat_hash_map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> appended_;
};

// Compares the start of `answer` with front + back.
int compare_beginning(std::string_view answer, std::string_view front, std::string_view back) {
  const int order = answer.substr(0, front.size()).compare(front);
  if (order != 0) return order;
  return answer.substr(front.size(), back.size()).compare(back);
}

StringObject::StringObject(std::vector<StringOperation> operations, std::span<const CallSpan> spans)
    : operations_(std::move(operations)), spans_(spans) {
  kinds_ = kinds_by(operations_, [](const StringOperation& one) { return std::pair(one.kind, one.text); });
  for (std::uint32_t i = 0; i < operations_.size(); ++i)
    if (operations_[i].kind == StringStep::Get && !spans_[i].lost()) answers_.push_back(operations_[i].text);
  std::ranges::sort(answers_);
  answers_.erase(std::unique(answers_.begin(), answers_.end()), answers_.end());
  initial_ = state_of("", "");
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    own_states_.push_back(operations_[i].kind == StringStep::Append ? 0 : state_of(operations_[i].text, ""));
    if (operations_[i].kind == StringStep::Put && spans_[i].lost()) lost_puts_.push_back(i);
  }
}

std::uint64_t StringObject::state_of(std::string_view front, std::string_view back) const {
  const auto first = std::partition_point(answers_.begin(), answers_.end(), [&](std::string_view answer) {
    return compare_beginning(answer, front, back) < 0;
  });
  if (first == answers_.end() || compare_beginning(*first, front, back) != 0) return kHopeless;
  return static_cast<std::uint64_t>(first - answers_.begin()) << 32 | (front.size() + back.size());
}

std::optional<std::uint64_t> StringObject::apply(std::uint64_t state, std::uint32_t operation) {
  const StringOperation& one = operations_[operation];
  if (one.kind == StringStep::Put) return own_states_[operation];
  if (one.kind == StringStep::Get)
    return own_states_[operation] == state ? std::optional(state) : std::nullopt;
  if (state == kHopeless) return kHopeless;
  const auto [known, is_new] = appended_.try_emplace({state, kinds_[operation]}, kHopeless);
  if (is_new) known->second = state_of(text_of(state), one.text);
  return known->second;
}

bool StringObject::is_hopeless(std::uint64_t state, const WaitingOperations& waiting) const {
  std::uint32_t next = CallSpan::kNever, end = CallSpan::kNever;
  for (std::uint32_t i = waiting.first(); waiting.has(i) && spans_[i].call < end; i = waiting.after(i))
    if (operations_[i].kind == StringStep::Get && spans_[i].end < end) {
      next = i;
      end = spans_[i].end;
    }
  if (next == CallSpan::kNever) return false;
  const std::string_view answer = operations_[next].text;
  if (state != kHopeless && answer.starts_with(text_of(state))) return false;
  for (std::uint32_t i = waiting.first(); waiting.has(i) && spans_[i].call < end; i = waiting.after(i))
    if (operations_[i].kind == StringStep::Put && answer.starts_with(operations_[i].text)) return false;
  return std::ranges::none_of(lost_puts_, [&](std::uint32_t i) {
    return spans_[i].call < end && answer.starts_with(operations_[i].text);
  });
}

struct Store {
  ObjectPart part;
  std::vector<StringOperation> operations;
};

std::string_view text_of(const ClientHistory& history, const ClientOperation& operation,
                         const FormValue& term) {
  if (term.is_nil()) return "";
  const std::optional<std::string_view> text = history.text_in(term);
  if (!text) throw history.error(operation, "expected text");
  return *text;
}

StringOperation decode(const ClientHistory& history, const ClientOperation& operation) {
  const std::string_view function = history.function(operation);
  if (function == "get") return {StringStep::Get, text_of(history, operation, *operation.result)};
  return {function == "put" ? StringStep::Put : StringStep::Append,
          text_of(history, operation, *operation.argument)};
}

std::map<Value, Store> stores_of(const ClientHistory& history) {
  std::map<Value, Store> stores;
  for (std::uint32_t i = 0; i < history.operations().size(); ++i) {
    const ClientOperation& operation = history.operations()[i];
    if (operation.failed() || (operation.lost() && history.function(operation) == "get")) continue;
    const Value key = history.key(operation);
    if (key.is_nil()) throw history.error(operation, "expected a :key field");
    Store& store = stores[key];
    if (store.part.name.empty()) store.part.name = history.format(key);
    store.part.operations.push_back(i);
    store.operations.push_back(decode(history, operation));
  }
  return stores;
}

std::string text_after(const Store& store, const std::vector<std::uint32_t>& order) {
  std::string text;
  for (const std::uint32_t i : order) {
    if (store.operations[i].kind == StringStep::Put) text.clear();
    if (store.operations[i].kind != StringStep::Get) text += store.operations[i].text;
  }
  return text;
}

// The history as it was right after event `last`: operations that had not ended by then are lost, those
// that had not begun are absent.
std::vector<CallSpan> cut_after(std::uint32_t last, const std::vector<CallSpan>& spans) {
  std::vector<CallSpan> cut;
  for (const CallSpan& span : spans) {
    if (span.call > last) break;
    cut.push_back({span.call, span.end <= last ? span.end : CallSpan::kNever});
  }
  return cut;
}

class KeyValue {
 public:
  KeyValue(const ClientHistory& history, const ModelOptions& options)
      : history_(history), parts_(history, options) {}

  ModelResult check() && {
    for (const auto& [key, store] : stores_of(history_)) judge(store);
    return std::move(parts_).finish();
  }

 private:
  void judge(const Store& store) {
    const std::vector<CallSpan> spans = parts_.spans(store.part);
    Linearization found = search(store, spans);
    if (!found.complete) found = longest_beginning(store, spans);
    parts_.add(store.part, found, [&] {
      return fmt::format("the key holds \"{}\"", shortened(text_after(store, found.order)));
    });
  }

  Linearization search(const Store& store, const std::vector<CallSpan>& spans) {
    StringObject object(
        {store.operations.begin(), store.operations.begin() + static_cast<std::ptrdiff_t>(spans.size())},
        spans);
    return parts_.search(spans, object);
  }

  // Abandoning hopeless states early hides the longest prefix, so it is found by bisection: the earliest
  // end of an operation after which the history is no longer linearizable.
  Linearization longest_beginning(const Store& store, const std::vector<CallSpan>& spans) {
    std::vector<std::uint32_t> by_end;
    for (std::uint32_t i = 0; i < spans.size(); ++i)
      if (!spans[i].lost()) by_end.push_back(i);
    std::ranges::sort(by_end, {}, [&](std::uint32_t i) { return spans[i].end; });
    Linearization best;
    const auto fits = [&](std::uint32_t i) {
      Linearization found = search(store, cut_after(spans[i].end, spans));
      const bool complete = found.complete;
      if (complete) best = std::move(found);
      return complete;
    };
    const auto stuck = std::partition_point(by_end.begin(), by_end.end(), fits);
    best.complete = false;
    best.stuck = *stuck;
    return best;
  }

  const ClientHistory& history_;
  LinearizableParts parts_;
};

}  // namespace

ModelResult check_key_value(const ClientHistory& history, const ModelOptions& options) {
  return KeyValue(history, options).check();
}

}  // namespace serval
