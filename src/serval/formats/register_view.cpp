#include "serval/formats/register_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "serval/base/decimal_number.h"
#include "serval/base/error.h"

namespace serval {
namespace {

constexpr Value kZero = Value::integer(0);
// A written nil in raw steps, where nil means the initial version. Raw steps have no unknown values
// otherwise.
constexpr Value kWrittenNil = Value::unknown();

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Returns the smallest number from `next` on that is not in `used`, and adds it to `used`.
Value take_unused(absl::flat_hash_set<Value>& used, std::int64_t& next) {
  while (!used.insert(Value::integer(next)).second) ++next;
  return Value::integer(next++);
}

}  // namespace

void Losses::report(const Notice& lossy) const {
  for (const auto& [what, count] : counts_) lossy(fmt::format("{}: {}", what, count));
}

RegisterView::RegisterView(const History& history, RegisterRules rules, Losses& losses)
    : history_(history), rules_(rules), fates_(history.transaction_count(), Fate::Committed) {
  refuse_lists();
  find_written_initials();
  choose_transactions(losses);
  keep_observed(losses);
  drop_empty(losses);
  refuse_nothing();
  rename_values(losses);
  count_extras(losses);
}

void RegisterView::refuse_lists() const {
  const auto is_list = [](OperationKind kind) {
    return kind == OperationKind::Append || kind == OperationKind::ReadList;
  };
  const auto lists = std::ranges::count_if(history_.kind_column(), is_list);
  if (lists == 0) return;
  throw OutputError(
      fmt::format("{} appends and list reads cannot be expressed in this format, which knows "
                  "registers only: choose edn, json, jsonl, binary or notation",
                  lists));
}

// Ignores writes of aborted transactions, which are never visible, unless a read of 0 is as ambiguous in
// the file as in the history.
void RegisterView::find_written_initials() {
  initial_is_written_.assign(history_.key_count(), false);
  nil_is_written_.assign(history_.key_count(), false);
  for (const TransactionId t : history_.transactions()) {
    if (history_.outcome(t) == Outcome::Aborted && !says_both(history_.initial_value())) continue;
    for (const OperationId op : history_.operations(t)) {
      if (!writes_value(history_.kind(op))) continue;
      const std::uint32_t key = history_.key(op).index;
      if (history_.value(op).is_nil()) nil_is_written_[key] = true;
      if (history_.value(op) == history_.initial_value()) initial_is_written_[key] = true;
    }
  }
}

bool RegisterView::may_be_initial(Value value) const {
  return value.is_nil() || value == history_.initial_value();
}

bool RegisterView::is_initial(KeyId key, Value value) const {
  const std::vector<bool>& is_written = value.is_nil() ? nil_is_written_ : initial_is_written_;
  return may_be_initial(value) && !is_written[key.index];
}

// Whether a read of `value` can be written unchanged and then means in the file what it means in the
// history: it saw the initial version or a write.
bool RegisterView::says_both(Value value) const {
  return value == kZero && history_.initial_value() == kZero &&
         rules_.initial < RegisterRules::Initial::ZeroOnly;
}

void RegisterView::choose_transactions(Losses& losses) {
  for (const TransactionId t : history_.transactions()) {
    if (history_.outcome(t) != Outcome::Aborted) continue;
    const bool left_out = rules_.aborted == RegisterRules::Aborted::LeftOut;
    fates_[t.index] = left_out ? Fate::LeftOut : Fate::Aborted;
    if (left_out) losses.add("aborted transactions left out");
  }
}

// An indeterminate transaction whose write was read by a committed one has also committed. Nothing is
// known about the others, so they are left out.
void RegisterView::keep_observed(Losses& losses) {
  absl::flat_hash_map<std::pair<KeyId, Value>, std::vector<TransactionId>> writers;
  std::vector<TransactionId> indeterminate, committed;
  std::vector<RegisterStep> found;
  Losses ignored;
  for (const TransactionId t : history_.transactions()) {
    if (history_.outcome(t) == Outcome::Committed) committed.push_back(t);
    if (history_.outcome(t) != Outcome::Indeterminate) continue;
    indeterminate.push_back(t);
    fates_[t.index] = Fate::LeftOut;
    raw_steps(t, found, ignored);
    for (const RegisterStep& step : found)
      if (step.kind == OperationKind::Write) writers[{step.key, step.value}].push_back(t);
  }
  while (!writers.empty() && !committed.empty()) {
    const TransactionId reader = committed.back();
    committed.pop_back();
    raw_steps(reader, found, ignored);
    for (const RegisterStep& step : found) {
      if (step.kind != OperationKind::Read) continue;
      const auto observed = writers.find({step.key, step.value});
      if (observed == writers.end()) continue;
      for (const TransactionId t : observed->second)
        if (std::exchange(fates_[t.index], Fate::Committed) == Fate::LeftOut) committed.push_back(t);
      writers.erase(observed);
    }
  }
  for (const TransactionId t : indeterminate)
    losses.add(contains(t)
                   ? "indeterminate transactions written as committed, since a write of theirs was read"
                   : "indeterminate transactions left out, since no write of theirs was read");
}

void RegisterView::drop_empty(Losses& losses) {
  std::vector<RegisterStep> found;
  for (const TransactionId t : history_.transactions()) {
    if (!contains(t)) continue;
    raw_steps(t, found, losses);
    if (!found.empty()) continue;
    fates_[t.index] = Fate::LeftOut;
    losses.add("transactions without a plain read or write left out");
  }
}

// Throws if nothing is left: no reader accepts an empty file as a history.
void RegisterView::refuse_nothing() const {
  const bool any = std::ranges::any_of(fates_, [](Fate fate) { return fate != Fate::LeftOut; });
  if (any || fates_.empty()) return;
  throw OutputError(
      fmt::format("none of the {} transactions can be expressed in this format, which has only reads and "
                  "writes of transactions that committed or aborted: choose jsonl, binary or notation",
                  fates_.size()));
}

void RegisterView::raw_steps(TransactionId t, std::vector<RegisterStep>& steps, Losses& losses) const {
  steps.clear();
  for (const OperationId op : history_.operations(t)) expand(op, steps, losses);
  if (!is_aborted(t) || rules_.aborted != RegisterRules::Aborted::WritesOnly) return;
  const auto is_read = [](const RegisterStep& step) { return step.kind == OperationKind::Read; };
  if (const std::size_t reads = std::erase_if(steps, is_read); reads > 0)
    losses.add("reads of aborted transactions left out", reads);
}

void RegisterView::expand(OperationId op, std::vector<RegisterStep>& steps, Losses& losses) const {
  const KeyId key = history_.key(op);
  const auto read = [&](Value value) {
    if (value.is_unknown()) return losses.add("reads without an answer left out");
    const bool initial = is_initial(key, value);
    if (!initial && may_be_initial(value) && !says_both(value))
      losses.add("reads of the initial value, which is also written, taken as reads of a write");
    if (!initial && value.is_nil()) value = kWrittenNil;
    steps.push_back({OperationKind::Read, key, initial ? Value::nil() : value, op});
  };
  const auto write = [&](Value value) {
    if (value.is_unknown()) return losses.add("writes of an unknown value left out");
    steps.push_back({OperationKind::Write, key, value.is_nil() ? kWrittenNil : value, op});
  };
  switch (history_.kind(op)) {
    case OperationKind::Read:
      return read(history_.value(op));
    case OperationKind::Write:
      return write(history_.value(op));
    case OperationKind::Insert:
    case OperationKind::CompareAndSet:
      losses.add("conditional operations split into a read and a write");
      read(history_.kind(op) == OperationKind::Insert ? Value::nil() : history_.expected(op));
      return write(history_.value(op));
    case OperationKind::InsertMiss:
    case OperationKind::CompareAndSetMiss:
      losses.add("refused conditional operations written as reads");
      return read(history_.value(op));
    case OperationKind::Append:
    case OperationKind::ReadList:
      return;  // refuse_lists() has thrown.
    case OperationKind::Delete:
      return losses.add("deletes left out");
    case OperationKind::PredicateRead:
    case OperationKind::PredicateUpdate:
    case OperationKind::PredicateDelete:
      return losses.add("predicate operations left out");
  }
}

void RegisterView::steps(TransactionId t, std::vector<RegisterStep>& steps) const {
  Losses ignored;
  raw_steps(t, steps, ignored);
  if (renamed_.empty()) return;
  for (RegisterStep& step : steps) {
    if (step.kind == OperationKind::Read && step.value.is_nil()) continue;
    if (const auto found = renamed_.find(step.value); found != renamed_.end()) step.value = found->second;
  }
}

bool RegisterView::fits(Value value) const {
  using Integers = RegisterRules::Integers;
  const bool negatives = rules_.integers == Integers::Any || rules_.integers == Integers::Signed64;
  if (value.is_integer()) return negatives || value.as_integer() >= 0;
  if (value.kind() != Value::Kind::Number) return false;
  std::string_view digits = history_.values().characters(value);
  if (rules_.integers == Integers::Signed64) return parse_integer<std::int64_t>(digits).has_value();
  if (rules_.integers == Integers::Unsigned64) return parse_integer<std::uint64_t>(digits).has_value();
  if (negatives && digits.starts_with('-')) digits.remove_prefix(1);
  return is_digits(digits);
}

// If 0 may mean the initial version in the file, a written 0 and the initial version must not be
// confused. No harm is done if 0 has both meanings in the history too.
struct RegisterView::Zeros {
  std::vector<bool> written, read, initial_read;  // By key.
  explicit Zeros(std::size_t keys) : written(keys), read(keys), initial_read(keys) {}

  void note(const RegisterStep& step) {
    if (step.kind == OperationKind::Write && step.value == kZero) written[step.key.index] = true;
    if (step.kind == OperationKind::Read && step.value == kZero) read[step.key.index] = true;
    if (step.kind == OperationKind::Read && step.value.is_nil()) initial_read[step.key.index] = true;
  }
  bool confused(RegisterRules::Initial initial, bool zero_is_initial) const {
    if (initial == RegisterRules::Initial::Written) return false;
    bool found = false, means_both = false;
    for (std::size_t key = 0; key < written.size(); ++key) {
      if (written[key] && initial == RegisterRules::Initial::ZeroOnly) return true;
      means_both = means_both || (zero_is_initial && read[key]);
      found = found || (read[key] && !zero_is_initial);
      found = found || (written[key] && initial_read[key] && initial == RegisterRules::Initial::Zero);
    }
    return found && !means_both && !(initial == RegisterRules::Initial::Zero && load_is_complete());
  }

  std::size_t keys_with_both() const {
    std::size_t keys = 0;
    for (std::size_t key = 0; key < written.size(); ++key) keys += written[key] && initial_read[key] ? 1 : 0;
    return keys;
  }

  // A first transaction that writes only 0, to every key that is read as 0, is read back as a
  // transaction.
  void note_first(const std::vector<RegisterStep>& steps) {
    const auto loads = [](const RegisterStep& step) {
      return step.kind == OperationKind::Write && step.value == kZero;
    };
    if (std::ranges::all_of(steps, loads))
      for (const RegisterStep& step : steps) loaded.insert(step.key);
  }
  bool load_is_complete() const {
    for (std::uint32_t key = 0; key < read.size(); ++key)
      if (initial_read[key] || (read[key] && !loaded.contains(KeyId{key}))) return false;
    return !loaded.empty();
  }
  absl::flat_hash_set<KeyId> loaded;
};

void RegisterView::rename_values(Losses& losses) {
  Zeros zeros(history_.key_count());
  std::vector<Value> misfits;  // In order of appearance.
  absl::flat_hash_set<Value> seen;
  std::vector<RegisterStep> found;
  Losses ignored;
  for (const TransactionId t : history_.transactions()) {
    if (!contains(t)) continue;
    raw_steps(t, found, ignored);
    if (t.index == 0) zeros.note_first(found);
    for (const RegisterStep& step : found) {
      zeros.note(step);
      const bool initial = step.kind == OperationKind::Read && step.value.is_nil();
      if (!initial && !fits(step.value) && seen.insert(step.value).second) misfits.push_back(step.value);
    }
  }
  if (zeros.confused(rules_.initial, history_.initial_value() == kZero))
    misfits.push_back(kZero);
  else if (rules_.initial == RegisterRules::Initial::Zero && zeros.keys_with_both() > 0)
    losses.add("keys to which 0 is written, where reads of the initial version may be taken as reads of it",
               zeros.keys_with_both());
  if (misfits.empty()) return;
  collect_used();
  std::int64_t next = 1;
  for (const Value misfit : misfits) renamed_.emplace(misfit, take_unused(used_, next));
  losses.add("values replaced by numbers", misfits.size());
}

void RegisterView::collect_used() {
  if (std::exchange(used_collected_, true)) return;
  std::vector<RegisterStep> found;
  for (const TransactionId t : history_.transactions()) {
    if (!contains(t)) continue;
    steps(t, found);
    for (const RegisterStep& step : found) used_.insert(step.value);
  }
}

Value RegisterView::unused_number() {
  collect_used();
  std::int64_t next = 0;
  return take_unused(used_, next);
}

std::vector<Value> RegisterView::number_keys(Losses& losses) const {
  std::vector<Value> numbers(history_.key_count());
  absl::flat_hash_set<Value> used;
  for (const KeyId key : history_.key_ids())
    if (fits(history_.key_value(key))) used.insert(history_.key_value(key));
  std::int64_t next = 0;
  for (const KeyId key : history_.key_ids()) {
    const Value name = history_.key_value(key);
    numbers[key.index] = fits(name) ? name : take_unused(used, next);
    if (!fits(name)) losses.add("keys replaced by numbers");
  }
  return numbers;
}

std::vector<std::string> RegisterView::spell_keys(Losses& losses) const {
  std::vector<std::string> keys;
  for (const Value number : number_keys(losses))
    append_number(keys.emplace_back(), history_.values(), number);
  return keys;
}

void RegisterView::count_extras(Losses& losses) const {
  for (const auto& [name, text] : history_.facts())
    if (rules_.kept_facts.empty() || !name.starts_with(rules_.kept_facts))
      losses.add("facts of the header dropped");
  for (const TransactionId t : history_.transactions()) {
    if (history_.interval(t) != Interval{}) losses.add("times of transactions dropped");
    if (history_.has_hints() && history_.hints(t) != nullptr) losses.add("hints of transactions dropped");
  }
  if (!history_.has_operation_times() && !history_.has_rare_members()) return;
  for (std::uint32_t index = 0; index < history_.operation_count(); ++index) {
    const Operation op = history_.operation(OperationId{index});
    if (op.time != Interval{}) losses.add("times of operations dropped");
    const bool version_stays =
        rules_.versions == RegisterRules::Versions::OfWrites && op.kind == OperationKind::Write;
    if ((op.version && !version_stays) || op.rows_matched || op.rows_changed)
      losses.add("versions and row counts dropped");
  }
}

void write_sessions(const History& history, const RegisterView& view, const std::vector<std::string>& keys,
                    const RegisterSpelling& spelling, const ByteOutput& out) {
  std::string text;
  std::vector<RegisterStep> steps;
  const auto append = [&](const RegisterStep& step) {
    const bool writes = step.kind == OperationKind::Write;
    text += writes ? spelling.before_write : spelling.before_read;
    text += keys[step.key.index];
    text += writes ? spelling.written : spelling.read;
    if (step.value.is_nil()) {
      text += spelling.initial;
    } else {
      append_number(text, history.values(), step.value);
    }
    text += spelling.after_step;
  };
  for (const SessionId session : history.sessions()) {
    text = session.index == 0 ? spelling.before_first_session : spelling.before_session;
    bool first = true;
    for (const TransactionId t : history.session_transactions(session)) {
      if (!view.contains(t)) continue;
      text += std::exchange(first, false) ? spelling.before_first_transaction : spelling.before_transaction;
      view.steps(t, steps);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i > 0) text += spelling.between_steps;
        append(steps[i]);
      }
      text += view.is_aborted(t) ? spelling.aborted : spelling.committed;
    }
    text += first ? spelling.empty_session : spelling.after_session;
    out(text);
  }
}

void count_dropped_labels(const History& history, const RegisterView& view, Losses& losses) {
  std::int64_t place = 0;
  for (const SessionId session : history.sessions()) {
    if (history.session_label(session) != Value::integer(session.index))
      losses.add("labels of sessions dropped");
    for (const TransactionId t : history.session_transactions(session))
      if (view.contains(t) && history.label(t) != Value::integer(place++))
        losses.add("labels of transactions dropped");
  }
}

std::int64_t whole_number(const ValuePool& pool, Value number) {
  if (number.is_integer()) return number.as_integer();
  const std::string_view digits = pool.characters(number);
  if (digits.starts_with('-')) return parse_integer<std::int64_t>(digits).value_or(0);
  return static_cast<std::int64_t>(parse_integer<std::uint64_t>(digits).value_or(0));
}

void append_number(std::string& text, const ValuePool& pool, Value number) {
  if (number.is_integer()) {
    text += fmt::format_int(number.as_integer()).c_str();
  } else {
    text += pool.characters(number);
  }
}

}  // namespace serval
