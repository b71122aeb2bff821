#include "serval/report/names.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "serval/base/printable.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

constexpr std::size_t kLongestText = 60;  // Bytes of one printed value before it is truncated.

std::string cut(const std::string& spelled) {
  std::string text = printable(std::string_view(spelled).substr(0, 4 * kLongestText));
  if (text.size() <= kLongestText) return text;
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  text.resize(end);
  return text + "…";
}

}  // namespace

TransactionNames::TransactionNames(const History& history, std::span<const TransactionId> named)
    : history_(&history) {
  std::map<Value, int> carriers;
  for (const TransactionId t : named) carriers[history.label(t)] = 0;
  for (const TransactionId t : history.transactions()) {
    const auto found = carriers.find(history.label(t));
    if (found != carriers.end()) ++found->second;
  }
  for (const auto& [label, count] : carriers)
    if (count > 1) ambiguous_.push_back(label);
}

std::string TransactionNames::operator()(TransactionId t) const {
  const Value label = history_->label(t);
  if (label.is_nil()) return fmt::format("T#{}", t.index);
  std::string name = "T" + format_short(*history_, label);
  if (std::ranges::binary_search(ambiguous_, label))
    name += "@" + format_short(*history_, history_->session_label(history_->session(t)));
  return name;
}

std::string format_short(const History& history, Value value, std::size_t kept) {
  if (!value.is_list()) return cut(history.format(value));
  const std::span<const Value> elements = history.values().elements(value);
  const std::size_t left_out = elements.size() > kept ? elements.size() - kept : 0;
  std::string out = "[";
  if (left_out > 0) out += fmt::format("… {} more,", left_out);
  for (const Value element : elements.subspan(left_out))
    out += (out.size() > 1 ? " " : "") + cut(history.format(element));
  return out + "]";
}

std::string format_operation(const History& history, OperationId op) {
  if (is_predicate(history.kind(op))) return cut(print_operation(history, op));
  const Value value = history.value(op);
  if (format_short(history, value) == printable(history.format(value)))
    return printable(print_operation(history, op));
  std::string out = print_operation(history, op);
  return out.substr(0, out.find('(')) + "(" + format_short(history, history.key_value(history.key(op))) +
         "," + (is_conditional(history.kind(op)) ? format_short(history, history.expected(op)) + "," : "") +
         format_short(history, value) + ")" + (out.ends_with('!') ? "!" : "");
}

}  // namespace serval
