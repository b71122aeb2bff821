#include "serval/formats/native/jsonl_record.h"

#include <algorithm>
#include <array>

#include "serval/base/decimal_number.h"
#include "serval/formats/native/jsonl_line.h"
#include "serval/formats/native/jsonl_value.h"

namespace serval {
namespace {

class RecordParser {
 public:
  RecordParser(JsonCursor& at, ValuePool& pool, JsonlRecord& record)
      : at_(at), pool_(pool), record_(record) {}

  void parse() {
    clear();
    start_ = at_.position();
    at_.expect('{', "'{', the start of a record");
    if (!at_.accept('}')) {
      do member(at_.member_name());
      while (at_.more('}'));
    }
    if (!at_.at_end()) at_.fail("the end of the line after the record");
    classify();
  }

 private:
  void clear() {
    record_.session.reset();
    record_.label.reset();
    record_.ops.clear();
    record_.extras.clear();
    record_.interval = {};
    record_.outcome.reset();
    if (record_.has_hints) record_.hints = {};
    record_.has_hints = false;
    record_.ignored.clear();
  }

  // A member of a later version, or a typing error.
  void ignore(std::string_view name) {
    if (record_.ignored.empty()) record_.ignored = name;
    at_.skip_value();
  }

  void member(std::string_view name) {
    if (name == "s") {
      record_.session = value();
    } else if (name == "t") {
      record_.label = value();
    } else if (name == "ops") {
      has_ops_ = true;
      operations();
    } else if (name == "begin") {
      record_.interval.begin = time(kUnknownBegin);
    } else if (name == "end") {
      record_.interval.end = time(kUnknownEnd);
    } else if (name == "outcome") {
      outcome();
    } else {
      uncommon_member(name);
    }
  }

  void uncommon_member(std::string_view name) {
    if (name == "event") {
      has_event_ = true;
      record_.event = at_.string("the name of an event in quotes");
    } else if (name == "at") {
      instant_ = whole_number("a time in whole nanoseconds");
    } else if (name == "op") {
      has_op_ = true;
      operation();
    } else if (name == "serval") {
      has_magic_ = true;
      if (at_.string("\"history\"") != "history") at_.fail("\"history\" as the value of \"serval\"");
    } else if (!hint(name) && !keep_place(name)) {
      ignore(name);
    }
  }

  // Members that have a meaning only in some records. Of which kind the record is, is known only at its end,
  // so their positions are kept and again() returns to them.
  enum Member { Last, Since, Key, Versions, Complete, Order, Version, Initial, Facts, Sessions };
  static constexpr std::array<std::string_view, 10> kMembers{
      "last", "since", "key", "versions", "complete", "order", "version", "initial", "facts", "sessions"};
  bool keep_place(std::string_view name) {
    const auto found = std::ranges::find(kMembers, name);
    if (found == kMembers.end()) return false;
    at_.peek();
    places_[static_cast<std::size_t>(found - kMembers.begin())] = at_.position();
    at_.skip_value();
    return true;
  }

  bool hint(std::string_view name) {
    TransactionHints& hints = record_.hints;
    if (name == "start_ts") {
      hints.start_timestamp = whole_number("a whole number");
    } else if (name == "commit_ts") {
      hints.commit_timestamp = whole_number("a whole number");
    } else if (name == "server_txn") {
      hints.server_transaction = at_.string("text in quotes");
    } else if (name == "snapshot") {
      hints.snapshot = at_.string("text in quotes");
    } else if (name == "node") {
      hints.node = at_.string("text in quotes");
    } else if (name == "error") {
      hints.error = at_.string("text in quotes");
    } else {
      return false;
    }
    record_.has_hints = true;
    return true;
  }

  void outcome() {
    const char* start = at_.position();
    const std::string_view name = at_.string("an outcome in quotes");
    for (const Outcome candidate : {Outcome::Committed, Outcome::Aborted, Outcome::Indeterminate}) {
      if (name == name_of(candidate)) {
        record_.outcome = candidate;
        return;
      }
    }
    at_.fail_at(start, "\"committed\", \"aborted\" or \"indeterminate\"");
  }

  Value value() { return parse_json_value(at_, pool_); }

  std::int64_t whole_number(const char* what) {
    std::int64_t number = 0;
    if (at_.whole_number(number)) return number;
    at_.peek();
    const char* start = at_.position();
    const std::optional<std::int64_t> whole = parse_integer<std::int64_t>(at_.number(what));
    if (!whole) at_.fail_at(start, "a whole number that fits 64 bits");
    return *whole;
  }
  Time time(Time unknown) {
    if (at_.peek() != 'n') return whole_number("a time in whole nanoseconds, or null");
    at_.literal("null", "null");
    return unknown;
  }

  void operations() {
    record_.ops.clear();
    record_.extras.clear();
    at_.expect('[', "'[', the list of operations");
    if (at_.accept(']')) return;
    do operation();
    while (at_.more(']'));
  }

  // ["r",key,value]  ["d",key]  ["cas",key,expected,value]  ["pr",predicate,rows]  and a last {...} on any.
  void operation() {
    at_.expect('[', "'[', the start of an operation");
    JsonlRecord::Op op{operation_kind(), JsonlRecord::kNoExtra, Value::nil(), Value::nil()};
    at_.expect(',', is_predicate(op.kind) ? "',' and the predicate" : "',' and the key");
    if (is_predicate(op.kind)) {
      predicate(extra(op));
    } else {
      op.key = value();
      if (op.kind != OperationKind::Delete) {
        at_.expect(',', "',' and a value");
        op.value = value();
      }
      if (is_conditional(op.kind)) {
        at_.expect(',', "',' and the new value");
        extra(op).expected = op.value;
        op.value = value();
      }
    }
    if (at_.more(']')) {
      options(op, extra(op));
      at_.expect(']', "']' after the operation");
    }
    record_.ops.push_back(op);
  }

  OperationKind operation_kind() {
    if (at_.accept_quoted('r')) return OperationKind::Read;
    if (at_.accept_quoted('w')) return OperationKind::Write;
    at_.peek();
    const char* start = at_.position();
    const std::string_view name = at_.string("the name of an operation in quotes");
    for (std::size_t i = 0; i < kOperationStarts.size(); ++i) {
      const auto kind = static_cast<OperationKind>(i);
      if (name == short_name_of(kind) || name == name_of(kind)) return kind;
    }
    at_.fail_at(start, "an operation: r w a l i i! d cas cas! pr pu pd");
  }

  JsonlRecord::Extra& extra(JsonlRecord::Op& op) {
    if (op.extra == JsonlRecord::kNoExtra) {
      op.extra = static_cast<std::uint32_t>(record_.extras.size());
      record_.extras.emplace_back();
    }
    return record_.extras[op.extra];
  }

  void predicate(JsonlRecord::Extra& extra) {
    if (at_.peek() == 'n') {
      at_.literal("null", "a predicate or null");
    } else {
      extra.predicate = parse_json_predicate(at_, pool_);
    }
    at_.expect(',', "',' and the rows");
    at_.expect('[', "'[', the list of rows");
    if (at_.accept(']')) return;
    do {
      at_.expect('[', "a row as [key,value]");
      const Value key = value();
      extra.rows.emplace_back(key, at_.more(']') ? row_value() : Value::nil());
    } while (at_.more(']'));
  }
  Value row_value() {
    const Value found = value();
    at_.expect(']', "']' after the row's value");
    return found;
  }

  void options(JsonlRecord::Op& op, JsonlRecord::Extra& extra) {
    at_.expect('{', "'{', the operation's further members");
    if (at_.accept('}')) return;
    do {
      const std::string_view name = at_.member_name();
      if (name == "at") {
        at_.expect('[', "[begin,end]");
        extra.time.begin = time(kUnknownBegin);
        at_.expect(',', "',' and the end");
        extra.time.end = time(kUnknownEnd);
        at_.expect(']', "']' after the end");
      } else if (name == "version") {
        extra.version = whole_number("a whole number");
      } else if (name == "matched") {
        extra.matched = whole_number("a whole number");
      } else if (name == "changed") {
        extra.changed = whole_number("a whole number");
      } else if (name == "lock") {
        extra.lock = lock();
      } else if (name == "result" && is_predicate(op.kind)) {
        op.value = value();
      } else if (name == "saw") {
        extra.saw = parse_json_saw(at_, pool_);
      } else {
        ignore(name);
      }
    } while (at_.more('}'));
  }

  LockMode lock() {
    const std::string_view word = at_.string("\"shared\" or \"exclusive\"");
    if (word == "shared") return LockMode::Shared;
    if (word != "exclusive") at_.fail("\"shared\" or \"exclusive\" as the lock");
    return LockMode::Exclusive;
  }

  void classify() {
    if (has_magic_) return header();
    if (has_event_) return event();
    if (!has_ops_) at_.fail_at(start_, "a record with \"ops\", \"event\" or \"serval\"");
    record_.kind = JsonlRecord::Kind::Transaction;
    require(record_.session.has_value(), "a session, \"s\", in this record");
  }

  void event() {
    using Kind = JsonlRecord::Kind;
    record_.kind = record_.event == "begin"  ? Kind::Begin
                   : record_.event == "op"   ? Kind::Operation
                   : record_.event == "end"  ? Kind::End
                   : record_.event == "open" ? Kind::Open
                   : record_.event == "sync" ? Kind::Sync
                                             : certificate_event();
    if (record_.kind == Kind::Order) return order();
    if (record_.kind == Kind::Sync || record_.kind == Kind::Heartbeat) return promise();
    if (record_.kind == Kind::Unknown || record_.kind == Kind::Certificate) return;
    require(record_.session && record_.label, "a session, \"s\", and a transaction, \"t\", in this record");
    const bool begins = record_.kind == Kind::Begin || record_.kind == Kind::Open;
    if (begins && instant_) record_.interval.begin = *instant_;
    if (record_.kind == Kind::End && instant_) record_.interval.end = *instant_;
    const bool tells = record_.kind == Kind::End || record_.kind == Kind::Settled;
    require(!tells || record_.outcome.has_value(), "an \"outcome\" in this record");
    require(record_.kind != Kind::Operation || has_op_, "an operation, \"op\", in this record");
  }

  JsonlRecord::Kind certificate_event() {
    using Kind = JsonlRecord::Kind;
    if (record_.event == "order") return Kind::Order;
    if (record_.event == "settled") return Kind::Settled;
    if (record_.event == "heartbeat") return Kind::Heartbeat;
    if (record_.event != "certificate") return Kind::Unknown;
    again(Order, [&] {
      at_.peek();
      const char* start = at_.position();
      if (at_.string("\"commit_ts\"") != "commit_ts")
        at_.fail_at(start, "\"commit_ts\", the one order there is");
    });
    require(has(Order), "an \"order\" in this record");
    return Kind::Certificate;
  }

  void promise() {
    record_.at = instant_;
    record_.since.clear();
    record_.is_last = false;
    again(Last, [&] { record_.is_last = value() == Value::boolean(true); });
    require(record_.kind == JsonlRecord::Kind::Sync || record_.at, "a time, \"at\", in this record");
    again(Since, [&] {
      at_.expect('[', "'[', sessions and times");
      if (at_.accept(']')) return;
      do {
        at_.expect('[', "[session,time]");
        const Value session = value();
        at_.expect(',', "',' and a time");
        record_.since.emplace_back(session, whole_number("a time in whole nanoseconds"));
        at_.expect(']', "']' after the time");
      } while (at_.more(']'));
    });
  }

  void order() {
    require(has(Key) && has(Versions), "a \"key\" and its \"versions\" in this record");
    record_.order = {};
    again(Key, [&] { record_.order.key = value(); });
    again(Versions, [&] { record_.order.versions = parse_json_citations(at_, pool_); });
    again(Complete, [&] {
      at_.peek();
      const char* start = at_.position();
      const Value complete = value();
      if (complete.kind() != Value::Kind::Boolean) at_.fail_at(start, "true or false");
      record_.order.complete = complete == Value::boolean(true);
    });
  }

  void require(bool present, const char* what) {
    if (!present) at_.fail_at(start_, what);
  }

  void header() {
    record_.kind = JsonlRecord::Kind::Header;
    record_.initial.reset();
    record_.sessions.clear();
    record_.facts.clear();
    require(has(Version), "a \"version\" in the header");
    again(Version, [&] { record_.version = whole_number("the version, a whole number"); });
    again(Initial, [&] { record_.initial = value(); });
    again(Facts, [&] { facts(); });
    again(Sessions, [&] { sessions(); });
  }

  bool has(Member member) const { return places_[member] != nullptr; }
  template <class Parse>
  void again(Member member, const Parse& parse) {
    if (!has(member)) return;
    at_.move_to(places_[member]);
    parse();
  }

  void facts() {
    at_.expect('{', "'{', the facts");
    if (at_.accept('}')) return;
    do {
      std::string name(at_.member_name());
      const bool is_text = at_.peek() == '"';
      record_.facts.emplace_back(std::move(name), is_text ? at_.string("text") : at_.skip_value());
    } while (at_.more('}'));
  }

  void sessions() {
    at_.expect('[', "'[', the session labels");
    if (at_.accept(']')) return;
    do record_.sessions.push_back(value());
    while (at_.more(']'));
  }

  JsonCursor& at_;
  ValuePool& pool_;
  JsonlRecord& record_;
  const char* start_ = nullptr;
  bool has_ops_ = false, has_op_ = false, has_event_ = false, has_magic_ = false;
  std::optional<Time> instant_;
  std::array<const char*, kMembers.size()> places_{};  // Null: the record has no such member.
};

}  // namespace

void parse_jsonl_record(JsonCursor& at, ValuePool& pool, JsonlRecord& record) {
  RecordParser(at, pool, record).parse();
}

bool begins_as_sync(std::string_view line) {
  for (const std::string_view token : {"{", "\"event\"", ":", "\"sync\""}) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (!line.starts_with(token)) return false;
    line.remove_prefix(token.size());
  }
  return true;
}

}  // namespace serval
