// Strings by key, with get, put and append, must be linearizable; a key starts as the empty string.
// After Porcupine's model of the key-value stores that students build. Every operation has a :key field.

#include <algorithm>
#include <map>
#include <string>

#include "serval/model/checkers.h"
#include "serval/model/linearizable_parts.h"
#include "serval/model/string_object.h"

namespace serval {
namespace {

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
  using Kind = StringOperation::Kind;
  const std::string_view function = history.function(operation);
  if (function == "get") return {Kind::Get, text_of(history, operation, *operation.result)};
  return {function == "put" ? Kind::Put : Kind::Append, text_of(history, operation, *operation.argument)};
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
    if (store.operations[i].kind == StringOperation::Kind::Put) text.clear();
    if (store.operations[i].kind != StringOperation::Kind::Get) text += store.operations[i].text;
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
    const std::vector<CallSpan> spans = call_spans(history_, store.part);
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
      if (found.complete) best = std::move(found);
      return found.complete;
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
