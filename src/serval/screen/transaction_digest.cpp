#include "serval/screen/transaction_digest.h"

#include <algorithm>
#include <utility>

#include "serval/inference/key_kinds.h"

namespace serval {
namespace {

Value value_read(const ScreenedOperation& operation) {
  if (operation.kind == OperationKind::CompareAndSet) return operation.expected;
  return operation.kind == OperationKind::Insert ? Value::nil() : operation.value;
}

}  // namespace

void TransactionDigester::hit(std::string_view obstacle) {
  if (obstacle_.empty()) obstacle_ = obstacle;
}

KeyId TransactionDigester::key(Value name) {
  const auto [found, fresh] = keys_.try_emplace(name, KeyId{static_cast<std::uint32_t>(kinds_.size())});
  if (fresh) kinds_.push_back(Kind::NotKnown);
  return found->second;
}

void TransactionDigester::note_kind(const ScreenedOperation& operation, Kind& kind) {
  const bool shows_nothing = operation.value.is_nil() || operation.value.is_unknown();
  Kind said = Kind::Register;
  if (operation.kind == OperationKind::Append) said = Kind::List;
  if (operation.kind == OperationKind::ReadList)
    said = operation.elements.empty() ? Kind::NotKnown : Kind::List;
  if (operation.kind == OperationKind::Read && shows_nothing) said = Kind::NotKnown;
  if (said == Kind::NotKnown) return;
  if (kind != Kind::NotKnown && kind != said) hit("a key is both a list and a register");
  kind = said;
}

void TransactionDigester::note_keys(const ScreenedTransaction& transaction) {
  for (const ScreenedOperation& operation : transaction.operations) {
    if (is_predicate(operation.kind)) return hit("operations on ranges");
    note_kind(operation, kinds_[key(operation.key).index]);
  }
}

TransactionDigest& TransactionDigester::digest(ScreenedTransaction& transaction) {
  digest_.reads.clear();
  digest_.writes.clear();
  digest_.contradicts_itself = digest_.varies = false;
  states_.clear();
  note_keys(transaction);
  states_.set_key_count(kinds_.size());
  for (ScreenedOperation& operation : transaction.operations) {
    if (!obstacle_.empty()) break;
    take(operation, key(operation.key));
  }
  return digest_;
}

void TransactionDigester::take(ScreenedOperation& operation, KeyId key) {
  const bool is_unknown = operation.value.is_unknown();
  switch (operation.kind) {
    case OperationKind::Delete:
      return hit("deletes");
    case OperationKind::Append:
      if (is_unknown) return hit("writes of unknown values");
      return write(key, operation.value, true);
    case OperationKind::ReadList:
      if (!is_unknown) read_list(key, operation.elements);
      return;
    default:
      break;
  }
  if (operation.value.is_list()) return hit("registers that hold lists");
  if (operation.kind != OperationKind::Write && !value_read(operation).is_unknown())
    read_register(key, value_read(operation));
  if (!writes_whole(operation.kind)) return;
  if (is_unknown) return hit("writes of unknown values");
  if (is_initial(operation.value)) return hit("writes of the initial value");
  write(key, operation.value, false);
}

void TransactionDigester::write(KeyId key, Value value, bool appends) {
  State& state = states_[key];
  if (state.last_write != kNone) digest_.writes[state.last_write].is_last = false;
  if (state.first_read != kNone) digest_.reads[state.first_read].updates = true;
  if (appends) ++state.appended;
  digest_.writes.push_back({key, value, appends, true, state.first_read != kNone, state.last_write});
  state.last_write = static_cast<std::uint32_t>(digest_.writes.size() - 1);
}

void TransactionDigester::read_register(KeyId key, Value value) {
  State& state = states_[key];
  if (state.appended > 0) {  // A read of nothing.
    digest_.contradicts_itself = true;
  } else if (state.last_write != kNone) {
    if (value != digest_.writes[state.last_write].value) digest_.contradicts_itself = true;
  } else {
    std::vector<Value> nothing;
    read_again(state, value, nothing);
  }
}

void TransactionDigester::read_list(KeyId key, std::vector<Value>& elements) {
  if (elements.empty()) return read_register(key, Value::nil());
  State& state = states_[key];
  if (state.appended == 0) return read_again(state, Value::nil(), elements);
  if (!ends_with_own_appends(elements, state)) {
    digest_.contradicts_itself = true;
    return;
  }
  if (state.first_read != kNone && !same_beneath(elements, state)) digest_.varies = true;
  digest_.reads.push_back({key, Value::nil(), std::move(elements), true});
}

// The first external read, or one that may have seen another version.
void TransactionDigester::read_again(State& state, Value value, std::vector<Value>& elements) {
  if (state.first_read == kNone) {
    state.first_read = static_cast<std::uint32_t>(digest_.reads.size());
  } else {
    const TransactionDigest::Read& first = digest_.reads[state.first_read];
    if (first.elements == elements &&
        (first.value == value || (is_initial(first.value) && is_initial(value))))
      return;
    digest_.varies = true;
  }
  digest_.reads.push_back({state.key, value, std::move(elements)});
}

bool TransactionDigester::ends_with_own_appends(const std::vector<Value>& elements,
                                                const State& state) const {
  if (elements.size() < state.appended) return false;
  std::size_t at = elements.size();
  for (std::uint32_t own = state.last_write; own != kNone; own = digest_.writes[own].previous)
    if (digest_.writes[own].value != elements[--at]) return false;
  return true;
}

bool TransactionDigester::same_beneath(const std::vector<Value>& elements, const State& state) const {
  const std::span<const Value> beneath(elements.data(), elements.size() - state.appended);
  return std::ranges::equal(beneath, digest_.reads[state.first_read].elements);
}

}  // namespace serval
