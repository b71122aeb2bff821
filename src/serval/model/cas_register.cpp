// One register, or one per key, with reads, writes and compare-and-sets, must be linearizable. After
// Knossos' cas-register and Porcupine's etcd model.

#include <algorithm>
#include <map>
#include <tuple>

#include <absl/container/flat_hash_set.h>

#include "serval/model/checkers.h"
#include "serval/model/linearizable_parts.h"

namespace serval {
namespace {

// Jepsen's independent workloads use one object per key and put the key in front of every value: a read
// is invoked with [k nil] and returns [k v], a write takes [k v], a compare-and-set [k [old new]].
bool is_pair(const FormValue& term) { return is_list(term) && term.parts.size() == 2; }

bool is_keyed(const ClientHistory& history, const ClientOperation& operation) {
  const FormValue& argument = *operation.argument;
  if (!is_pair(argument)) return false;
  const std::string_view function = history.function(operation);
  if (function == "cas") return is_pair(argument.parts[1]);
  if (function != "read") return true;
  if (!argument.parts[1].is_nil()) return false;
  return !operation.ok() || (is_pair(*operation.result) &&
                             history.value(operation.result->parts[0]) == history.value(argument.parts[0]));
}

// Whether every value of this register history is such a pair. A history of a plain register never
// qualifies: its reads are invoked with nil, its compare-and-sets with two scalars.
bool has_independent_keys(const ClientHistory& history) {
  const auto keyed = [&](const ClientOperation& operation) { return is_keyed(history, operation); };
  const auto tells = [&](const ClientOperation& operation) { return history.function(operation) != "write"; };
  return std::ranges::any_of(history.operations(), tells) && std::ranges::all_of(history.operations(), keyed);
}

enum class RegisterStep : std::uint8_t {
  Read,           // Saw `value`.
  Write,          // Of `value`.
  CompareAndSet,  // From `expected` to `value`.
  Mismatch,       // A compare-and-set that failed because the register did not hold `expected`.
};
struct RegisterOperation {
  RegisterStep kind = RegisterStep::Read;
  Value expected;
  Value value;
};

bool compares_only(const RegisterOperation& one) {
  return one.kind == RegisterStep::Read || one.kind == RegisterStep::Mismatch;
}

// An object for LinearizationSearch. The state is the bits of its value.
class RegisterObject {
 public:
  RegisterObject(Value initial, std::span<const RegisterOperation> operations)
      : initial_(initial), operations_(operations), kinds_(kinds_by(operations, key_of)) {}

  std::uint64_t initial() const { return initial_.bits(); }
  std::optional<std::uint64_t> apply(std::uint64_t state, std::uint32_t operation) const {
    const RegisterOperation& one = operations_[operation];
    switch (one.kind) {
      case RegisterStep::Read:
        return one.value.bits() == state ? std::optional(state) : std::nullopt;
      case RegisterStep::Write:
        return one.value.bits();
      case RegisterStep::CompareAndSet:
        return one.expected.bits() == state ? std::optional(one.value.bits()) : std::nullopt;
      default:
        return one.expected.bits() != state ? std::optional(state) : std::nullopt;
    }
  }
  bool observes_only(std::uint32_t operation) const { return compares_only(operations_[operation]); }
  bool hides(std::uint32_t later, std::uint32_t) const {
    return operations_[later].kind == RegisterStep::Write;
  }
  bool supplies(std::uint32_t operation, std::uint32_t needy) const {
    const RegisterOperation& one = operations_[needy];
    const bool reads = one.kind == RegisterStep::Read;
    return operations_[operation].value == (reads ? one.value : one.expected);
  }
  std::uint32_t kind_of(std::uint32_t operation) const { return kinds_[operation]; }

 private:
  static std::tuple<RegisterStep, Value, Value> key_of(const RegisterOperation& one) {
    return {one.kind, one.expected, one.value};
  }

  Value initial_;
  std::span<const RegisterOperation> operations_;
  std::vector<std::uint32_t> kinds_;
};

absl::flat_hash_set<Value> seen_values(std::span<const RegisterOperation> operations,
                                       std::span<const CallSpan> spans, const std::vector<bool>& keep) {
  absl::flat_hash_set<Value> seen;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const RegisterOperation& one = operations[i];
    if (!keep[i]) continue;
    if (one.kind == RegisterStep::Read && !spans[i].lost()) seen.insert(one.value);
    if (one.kind == RegisterStep::CompareAndSet) seen.insert(one.expected);
  }
  return seen;
}

// Which lost operations could ever be visible: one that leaves a value which nobody reads or compares
// with can be omitted from every order. keep[i] is false for those. O(n) per round; as many rounds as
// lost operations depend on each other.
std::vector<bool> lost_operations_worth_keeping(std::span<const RegisterOperation> operations,
                                                std::span<const CallSpan> spans) {
  std::vector<bool> keep(operations.size(), true);
  // Any change of the value can make a mismatch fit.
  if (std::ranges::find(operations, RegisterStep::Mismatch, &RegisterOperation::kind) != operations.end())
    return keep;
  for (bool changed = true; changed;) {
    changed = false;
    const absl::flat_hash_set<Value> seen = seen_values(operations, spans, keep);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (!keep[i] || !spans[i].lost() || seen.contains(operations[i].value)) continue;
      keep[i] = false;
      changed = true;
    }
  }
  return keep;
}

class CasRegister {
 public:
  CasRegister(const ClientHistory& history, const ModelOptions& options)
      : history_(history),
        options_(options),
        keyed_(has_independent_keys(history)),
        initial_(history.parse_value(options.initial)) {}

  ModelResult check() && {
    for (std::uint32_t i = 0; i < history_.operations().size(); ++i) take(i, history_.operations()[i]);
    LinearizableParts parts(history_, options_);
    for (auto& [key, one] : registers_) judge(one, parts);
    return std::move(parts).finish();
  }

 private:
  struct Register {
    ObjectPart part;
    std::vector<RegisterOperation> operations;
  };

  void take(std::uint32_t i, const ClientOperation& operation) {
    const std::optional<RegisterOperation> decoded = decode(operation);
    if (!decoded) return;
    const Value key = keyed_ ? history_.value(operation.argument->parts[0]) : Value::nil();
    Register& one = registers_[key];
    if (keyed_ && one.part.name.empty()) one.part.name = history_.format(key);
    one.part.operations.push_back(i);
    one.operations.push_back(*decoded);
  }

  // Without the key.
  const FormValue& plain(const FormValue& term) const { return keyed_ ? term.parts[1] : term; }

  // Nothing for operations without information: failed ones and lost reads.
  std::optional<RegisterOperation> decode(const ClientOperation& operation) const {
    const std::string_view function = history_.function(operation);
    if (function == "cas") return decode_cas(operation);
    if (operation.failed() || (function == "read" && !operation.ok())) return std::nullopt;
    if (function == "read")
      return RegisterOperation{RegisterStep::Read, {}, history_.value(plain(*operation.result))};
    return RegisterOperation{RegisterStep::Write, {}, history_.value(plain(*operation.argument))};
  }

  std::optional<RegisterOperation> decode_cas(const ClientOperation& operation) const {
    const FormValue& pair = plain(*operation.argument);
    if (!is_list(pair) || pair.parts.size() != 2)
      throw history_.error(operation, "expected the expected and the new value, [1 2]");
    const RegisterOperation cas{RegisterStep::CompareAndSet, history_.value(pair.parts[0]),
                                history_.value(pair.parts[1])};
    if (!operation.failed()) return cas;
    if (options_.failed_cas == FailedCas::Nothing) return std::nullopt;
    return RegisterOperation{RegisterStep::Mismatch, cas.expected, {}};
  }

  void judge(Register& one, LinearizableParts& parts) const {
    drop_unseen(one, parts.spans(one.part));
    RegisterObject object(initial_, one.operations);
    const Linearization found = parts.search(parts.spans(one.part), object);
    parts.add(one.part, found,
              [&] { return explain(one, Value::from_bits(found.state), one.operations[found.stuck]); });
  }

  static void drop_unseen(Register& one, const std::vector<CallSpan>& spans) {
    const std::vector<bool> keep = lost_operations_worth_keeping(one.operations, spans);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < keep.size(); ++i) {
      if (!keep[i]) continue;
      one.part.operations[kept] = one.part.operations[i];
      one.operations[kept++] = one.operations[i];
    }
    one.part.operations.resize(kept);
    one.operations.resize(kept);
  }

  std::string explain(const Register& one, Value state, const RegisterOperation& stuck) const {
    const bool reads = stuck.kind == RegisterStep::Read;
    const Value wanted = reads ? stuck.value : stuck.expected;
    std::string why = fmt::format("the register holds {}", history_.format(state));
    const auto writes = [&](const RegisterOperation& other) {
      return !compares_only(other) && other.value == wanted;
    };
    if (wanted != initial_ && std::ranges::none_of(one.operations, writes))
      why += fmt::format("; no operation wrote {0} (if it was the initial value: --initial {0})",
                         history_.format(wanted));
    return why;
  }

  const ClientHistory& history_;
  const ModelOptions& options_;
  bool keyed_;
  Value initial_;
  std::map<Value, Register> registers_;
};

}  // namespace

ModelResult check_cas_register(const ClientHistory& history, const ModelOptions& options) {
  return CasRegister(history, options).check();
}

}  // namespace serval
