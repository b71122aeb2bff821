#include <vector>

#include "serval/formats/native/jsonl_certificate.h"
#include "serval/formats/native/jsonl_line.h"
#include "serval/formats/native/jsonl_value.h"
#include "serval/formats/native/native_jsonl.h"

namespace serval {
namespace {

constexpr std::size_t kPiece = 1 << 16;

class JsonlWriter {
 public:
  JsonlWriter(const History& history, const ByteOutput& out)
      : history_(history), pool_(history.values()), certificate_(history), out_(out) {}

  void write() {
    header();
    for (const TransactionId t : history_.transactions()) {
      transaction(t);
      if (line_.size() >= kPiece) flush();
    }
    certificate_.append_records(line_);
    flush();
  }

 private:
  void flush() {
    out_(line_);
    line_.clear();
  }

  PooledValue spelled(Value value) const { return {pool_, value}; }
  PooledValue spelled(KeyId key) const { return {pool_, history_.key_value(key)}; }

  void header() {
    std::string initial;
    if (!history_.initial_value().is_nil()) put(initial, spelled(history_.initial_value()));
    const std::vector<JsonlFact> facts(history_.facts().begin(), history_.facts().end());
    put_header_line(line_, initial, facts, sessions_follow_from_transactions() ? "" : sessions());
  }

  // Whether the sessions are in the order of their first transactions and none is empty: then a reader
  // finds them without a list.
  bool sessions_follow_from_transactions() const {
    std::uint32_t next = 0;
    for (const SessionId session : history_.session_column()) {
      if (session.index > next) return false;
      if (session.index == next) ++next;
    }
    return next == history_.session_count();
  }
  std::string sessions() const {
    std::string list = "[";
    for (const SessionId session : history_.sessions()) {
      put_separator(list);
      put(list, spelled(history_.session_label(session)));
    }
    return list + "]";
  }

  void transaction(TransactionId t) {
    put_transaction_start(line_, spelled(history_.session_label(history_.session(t))),
                          spelled(history_.label(t)));
    for (const OperationId op : history_.operations(t)) operation(op);
    put_transaction_end(line_, history_.interval(t), history_.outcome(t), history_.hints(t));
  }

  void operation(OperationId id) {
    const Operation op = history_.operation(id);
    put_operation_start(line_, op.kind);
    if (is_predicate(op.kind)) {
      predicate(op);
    } else {
      put(line_, spelled(op.key));
      if (is_conditional(op.kind)) put_all(line_, ",", spelled(op.expected));
      if (op.kind != OperationKind::Delete) put_all(line_, ",", spelled(op.value));
    }
    options(id, op);
  }

  void predicate(const Operation& op) {
    if (op.predicate.is_none()) {
      line_ += "null";
    } else {
      append_json_predicate(line_, pool_, history_.predicate(op.predicate));
    }
    line_ += ",[";
    for (const Row& row : op.rows) {
      put_separator(line_);
      put_all(line_, "[", spelled(row.key), ",", spelled(row.value), "]");
    }
    line_ += ']';
  }

  void options(OperationId id, const Operation& op) {
    put_options_start(line_, op.time);
    if (op.version) put_member(line_, R"("version":)", *op.version);
    put_counts(line_, op.rows_matched, op.rows_changed);
    if (is_predicate(op.kind) && !op.value.is_nil()) put_result(line_, spelled(op.value));
    if (const VersionSet* seen = history_.certificate().version_set(id))
      certificate_.append_saw(line_, *seen);
    put_options_end(line_);
  }

  const History& history_;
  const ValuePool& pool_;
  CertificateWriter certificate_;
  const ByteOutput& out_;
  std::string line_;
};

}  // namespace

void write_jsonl(const History& history, const ByteOutput& out, const Notice& /*lossy*/) {
  JsonlWriter(history, out).write();
}

}  // namespace serval
