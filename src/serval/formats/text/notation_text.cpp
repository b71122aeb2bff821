#include <algorithm>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/formats/characters.h"
#include "serval/formats/text/text_formats.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view without_blank(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    if (!text.starts_with('#')) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

bool is_label(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '/' || c == '-' || c == '+';
}

std::size_t count_predicates(const History& history) {
  return static_cast<std::size_t>(std::ranges::count_if(history.kind_column(), is_predicate));
}

// The reader numbers transactions from 1 in the order of the text.
std::size_t count_labels(const History& history) {
  std::size_t dropped = 0;
  std::int64_t place = 0;
  for (const SessionId session : history.sessions())
    for (const TransactionId t : history.session_transactions(session))
      dropped += history.label(t) != Value::integer(++place) ? 1 : 0;
  return dropped;
}

void report_losses(const History& history, const Notice& lossy) {
  std::size_t hinted = 0;
  for (const TransactionId t : history.transactions()) hinted += history.hints(t) != nullptr ? 1 : 0;
  if (hinted > 0) lossy(fmt::format("hints of transactions dropped: {}", hinted));
  if (const std::size_t labels = count_labels(history); labels > 0)
    lossy(fmt::format("labels of transactions dropped: {}", labels));
  if (history.has_operation_times()) lossy("times of operations dropped");
  if (history.has_rare_members()) lossy("versions and row counts dropped");
  if (!history.facts().empty()) lossy(fmt::format("facts of the header dropped: {}", history.facts().size()));
  if (history.initial_value() != Value::integer(0))
    lossy("the initial value is not 0, as the notation has it: reads of 0 may change their meaning");
  if (const std::size_t predicates = count_predicates(history); predicates > 0)
    lossy(fmt::format("predicate operations left out: {}", predicates));
}

bool is_spelled_number(std::string_view text) {
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const bool starts_well = (sign && text.size() > 1) || (!text.empty() && is_digit(text[0]));
  return starts_well && std::ranges::all_of(text, is_label);
}

// Whether one pair of braces encloses the whole text.
bool is_spelled_row(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      in_string = !in_string;
    else if (!in_string && text[i] == '{')
      ++depth;
    else if (!in_string && text[i] == '}' && --depth == 0)
      return i + 1 == text.size() && text[0] == '{';
    if (depth == 0) return false;
  }
  return false;
}

bool has_spelling(const ValuePool& pool, Value value) {
  switch (value.kind()) {
    case Value::Kind::Number:
      return is_spelled_number(pool.characters(value));
    case Value::Kind::Row:
      return is_spelled_row(pool.characters(value));
    case Value::Kind::List:
      return std::ranges::all_of(pool.elements(value),
                                 [&](Value element) { return has_spelling(pool, element); });
    default:
      return true;
  }
}

// Throws for values that could not be read back.
void require_spellings(const History& history) {
  const auto require = [&](Value value) {
    if (!has_spelling(history.values(), value))
      throw OutputError(fmt::format("the notation cannot express {}", history.format(value)));
  };
  for (const SessionId session : history.sessions()) {
    const Value label = history.session_label(session);
    require(label);
    if (label.is_list())
      throw OutputError(fmt::format("the notation cannot express sessions whose label is a list: {}",
                                    history.format(label)));
  }
  for (const KeyId key : history.key_ids()) require(history.key_value(key));
  for (const TransactionId t : history.transactions())
    for (const OperationId op : history.operations(t)) {
      if (is_predicate(history.kind(op))) continue;
      require(history.value(op));
      if (is_conditional(history.kind(op))) require(history.expected(op));
    }
}

// The transaction without its predicate operations; its outcome and times stay.
std::string line_of(const History& history, TransactionId t) {
  std::string every, kept;
  for (const OperationId op : history.operations(t)) {
    const std::string text = print_operation(history, op);
    every += (every.empty() ? "" : " ") + text;
    if (!is_predicate(history.kind(op))) kept += (kept.empty() ? "" : " ") + text;
  }
  return print_transaction(history, t).replace(1, every.size(), kept);
}

}  // namespace

bool looks_like_notation(std::string_view start) {
  start = without_blank(start);
  std::size_t label = 0;
  if (start.starts_with('"')) {
    label = std::min(start.find('"', 1), start.size() - 1) + 1;
  } else {
    while (label < start.size() && is_label(start[label])) ++label;
  }
  start.remove_prefix(label);
  start = without_blank(start);
  if (label == 0 || !start.starts_with(':')) return false;
  start = without_blank(start.substr(1));
  return start.empty() || start.starts_with('[') || start.starts_with('"') || is_label(start[0]);
}

History read_notation(ByteStream& stream, const ReadOptions& options) {
  std::string text;
  for (std::string_view chunk = stream.next(); !chunk.empty(); chunk = stream.next()) {
    text += chunk;
    if (options.budget != nullptr) options.budget->look("read");
    if (options.on_progress) options.on_progress(stream.read_from_disk(), stream.size_on_disk());
  }
  std::string_view body = text;
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  return parse_history(body, stream.name());
}

void write_notation(const History& history, const ByteOutput& out, const Notice& lossy) {
  require_spellings(history);
  report_losses(history, lossy);
  for (const SessionId session : history.sessions()) {
    out(history.format(history.session_label(session)) + ":");
    for (const TransactionId t : history.session_transactions(session)) out(" " + line_of(history, t));
    out("\n");
  }
}

}  // namespace serval
