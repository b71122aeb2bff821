// One register, or one per key, with reads, writes and compare-and-sets, must be linearizable. After
// Knossos' cas-register and Porcupine's etcd model.

#include <map>

#include "serval/model/checkers.h"
#include "serval/model/independent_keys.h"
#include "serval/model/linearizable_parts.h"
#include "serval/model/register_object.h"

namespace serval {
namespace {

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
    using Kind = RegisterOperation::Kind;
    const std::string_view function = history_.function(operation);
    if (function == "cas") return decode_cas(operation);
    if (operation.failed() || (function == "read" && !operation.ok())) return std::nullopt;
    if (function == "read")
      return RegisterOperation{Kind::Read, {}, history_.value(plain(*operation.result))};
    return RegisterOperation{Kind::Write, {}, history_.value(plain(*operation.argument))};
  }

  std::optional<RegisterOperation> decode_cas(const ClientOperation& operation) const {
    using Kind = RegisterOperation::Kind;
    const FormValue& pair = plain(*operation.argument);
    if (!is_list(pair) || pair.parts.size() != 2)
      throw history_.error(operation, "expected the expected and the new value, [1 2]");
    const RegisterOperation cas{Kind::CompareAndSet, history_.value(pair.parts[0]),
                                history_.value(pair.parts[1])};
    if (!operation.failed()) return cas;
    if (options_.failed_cas == FailedCas::Nothing) return std::nullopt;
    return RegisterOperation{Kind::Mismatch, cas.expected, {}};
  }

  void judge(Register& one, LinearizableParts& parts) const {
    drop_unseen(one);
    RegisterObject object(initial_, one.operations);
    const Linearization found = parts.search(call_spans(history_, one.part), object);
    parts.add(one.part, found,
              [&] { return explain(one, Value::from_bits(found.state), one.operations[found.stuck]); });
  }

  void drop_unseen(Register& one) const {
    const std::vector<bool> keep =
        lost_operations_worth_keeping(one.operations, call_spans(history_, one.part));
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
    const bool reads = stuck.kind == RegisterOperation::Kind::Read;
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

  static bool compares_only(const RegisterOperation& one) {
    return one.kind == RegisterOperation::Kind::Read || one.kind == RegisterOperation::Kind::Mismatch;
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
