#include <array>
#include <charconv>

#include "serval/formats/native/jsonl_certificate.h"
#include "serval/formats/native/jsonl_record.h"
#include "serval/formats/native/jsonl_value.h"
#include "serval/formats/native/native_jsonl.h"

namespace serval {
namespace {

constexpr std::size_t kPiece = 1 << 16;

class JsonlWriter {
 public:
  JsonlWriter(const History& history, const std::function<void(std::string_view)>& out)
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

  void number(std::int64_t number) {
    std::array<char, 24> digits;
    line_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }
  void value(Value value) { append_json_value(line_, pool_, value); }
  void key(KeyId key) { value(history_.key_value(key)); }

  void header() {
    line_ += R"({"serval":"history","version":1)";
    if (!history_.initial_value().is_nil()) {
      line_ += R"(,"initial":)";
      value(history_.initial_value());
    }
    facts();
    if (!sessions_follow_from_transactions()) sessions();
    line_ += "}\n";
  }
  void facts() {
    if (history_.facts().empty()) return;
    line_ += R"(,"facts":{)";
    for (const auto& [name, text] : history_.facts()) {
      if (line_.back() != '{') line_ += ',';
      append_json_string(line_, name);
      line_ += ':';
      append_json_string(line_, text);
    }
    line_ += '}';
  }

  // The sessions are in the order of their first transactions and none is empty, so a reader finds them.
  bool sessions_follow_from_transactions() const {
    std::uint32_t next = 0;
    for (const SessionId session : history_.session_column()) {
      if (session.index > next) return false;
      if (session.index == next) ++next;
    }
    return next == history_.session_count();
  }
  void sessions() {
    line_ += R"(,"sessions":[)";
    for (const SessionId session : history_.sessions()) {
      if (session.index > 0) line_ += ',';
      value(history_.session_label(session));
    }
    line_ += ']';
  }

  void transaction(TransactionId t) {
    line_ += R"({"s":)";
    value(history_.session_label(history_.session(t)));
    line_ += R"(,"t":)";
    value(history_.label(t));
    line_ += R"(,"ops":[)";
    const IdRange<OperationId> operations = history_.operations(t);
    for (const OperationId op : operations) {
      if (op.index > operations.first) line_ += ',';
      operation(op);
    }
    line_ += ']';
    const Interval interval = history_.interval(t);
    if (interval.begin != kUnknownBegin) member(R"(,"begin":)", interval.begin);
    if (interval.end != kUnknownEnd) member(R"(,"end":)", interval.end);
    if (history_.outcome(t) != Outcome::Committed) member(R"(,"outcome":)", name_of(history_.outcome(t)));
    if (const TransactionHints* found = history_.hints(t)) hints(*found);
    line_ += "}\n";
  }

  void member(std::string_view name, std::int64_t whole) {
    line_ += name;
    number(whole);
  }
  void member(std::string_view name, std::string_view text) {
    line_ += name;
    append_json_string(line_, text);
  }

  void hints(const TransactionHints& hints) {
    if (hints.start_timestamp) member(R"(,"start_ts":)", *hints.start_timestamp);
    if (hints.commit_timestamp) member(R"(,"commit_ts":)", *hints.commit_timestamp);
    if (!hints.server_transaction.empty()) member(R"(,"server_txn":)", hints.server_transaction);
    if (!hints.snapshot.empty()) member(R"(,"snapshot":)", hints.snapshot);
    if (!hints.node.empty()) member(R"(,"node":)", hints.node);
    if (!hints.error.empty()) member(R"(,"error":)", hints.error);
  }

  void operation(OperationId id) {
    const OperationKind kind = history_.kind(id);
    line_ += "[\"";
    line_ += short_name_of(kind);
    line_ += "\",";
    const Operation op = history_.operation(id);
    if (is_predicate(kind)) {
      predicate(op);
    } else {
      key(op.key);
      if (is_conditional(kind)) {
        line_ += ',';
        value(op.expected);
      }
      if (kind != OperationKind::Delete) {
        line_ += ',';
        value(op.value);
      }
    }
    options(id, op);
    line_ += ']';
  }

  void predicate(const Operation& op) {
    if (op.predicate.is_none()) {
      line_ += "null";
    } else {
      append_json_predicate(line_, pool_, history_.predicate(op.predicate));
    }
    line_ += ",[";
    for (const Row& row : op.rows) {
      line_ += line_.back() == '[' ? "[" : ",[";
      key(row.key);
      line_ += ',';
      value(row.value);
      line_ += ']';
    }
    line_ += ']';
  }

  void options(OperationId id, const Operation& op) {
    const std::size_t start = line_.size();
    if (op.time != Interval{}) {
      line_ += R"(,"at":[)";
      op.time.begin == kUnknownBegin ? void(line_ += "null") : number(op.time.begin);
      line_ += ',';
      op.time.end == kUnknownEnd ? void(line_ += "null") : number(op.time.end);
      line_ += ']';
    }
    if (op.version) member(R"(,"version":)", *op.version);
    if (op.rows_matched) member(R"(,"matched":)", *op.rows_matched);
    if (op.rows_changed) member(R"(,"changed":)", *op.rows_changed);
    if (is_predicate(op.kind) && !op.value.is_nil()) {
      line_ += R"(,"result":)";
      value(op.value);
    }
    if (const VersionSet* seen = history_.certificate().version_set(id)) {
      line_ += R"(,"saw":)";
      certificate_.append_saw(line_, *seen);
    }
    if (line_.size() == start) return;
    line_.insert(start + 1, "{");
    line_ += '}';
  }

  const History& history_;
  const ValuePool& pool_;
  CertificateWriter certificate_;
  const std::function<void(std::string_view)>& out_;
  std::string line_;
};

}  // namespace

void write_jsonl(const History& history, const std::function<void(std::string_view)>& out,
                 const std::function<void(const std::string&)>& /*lossy*/) {
  JsonlWriter(history, out).write();
}

}  // namespace serval
