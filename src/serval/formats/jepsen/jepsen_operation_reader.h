#pragma once
// Reads one operation map into a JepsenOperation. One template for EDN and JSON, so that both have the
// same meaning.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "serval/formats/forms/form_cursor.h"
#include "serval/formats/forms/read_form_value.h"
#include "serval/formats/jepsen/jepsen_operation.h"

namespace serval {

template <class Cursor>
class JepsenOperationReader {
 public:
  JepsenOperationReader(Cursor& cursor, ValuePool& pool) : cursor_(cursor), pool_(pool) {}

  // Reads the map at the cursor. Throws FormEnds, or FormProblem for bad syntax. A :value of an unknown
  // shape is left to the assembler, since operations of the nemesis may contain anything.
  void read(JepsenOperation& operation) {
    read(operation, [&](std::string_view name) { read_field(jepsen_field_named(name), operation); });
  }
  // The same with `read_member`, which gets the name of a field and reads its value.
  template <class ReadMember>
  void read(JepsenOperation& operation, const ReadMember& read_member) {
    operation.clear();
    const FormShape shape = cursor_.peek();
    operation.at = cursor_.at();
    if (shape != FormShape::Map) throw FormProblem{cursor_.at(), "expected '{', the start of an operation"};
    cursor_.open();
    while (cursor_.more()) read_member(cursor_.field());
  }

  // The same from a line of text: process, type, f, value and perhaps an error, between blanks. The cursor's
  // text is the line with its newline.
  void read_columns(JepsenOperation& operation) {
    read_columns(operation, [&](JepsenField column) { read_field(column, operation); });
  }
  template <class ReadColumn>
  void read_columns(JepsenOperation& operation, const ReadColumn& read_column) {
    operation.clear();
    operation.at = cursor_.at();
    for (const JepsenField column : {JepsenField::Process, JepsenField::Type, JepsenField::F})
      read_column(column);
    if (!cursor_.at_end()) read_column(JepsenField::Argument);
    read_error(operation);
  }

  // The value of one field, at the cursor.
  void read_field(JepsenField field, JepsenOperation& operation) {
    const FormShape shape = cursor_.peek();
    const char* const at = cursor_.at();
    switch (field) {
      case JepsenField::Type:
        operation.type_at = at;
        operation.type = read_type();
        return;
      case JepsenField::Process:
        operation.process_at = at;
        // Anything but a scalar is not a client.
        operation.process = shape == FormShape::Scalar ? cursor_.scalar(pool_) : Value::unknown();
        if (shape != FormShape::Scalar) cursor_.skip();
        return;
      case JepsenField::F:
        operation.f_at = at;
        return read_text(operation.f);
      case JepsenField::Argument:
        operation.value_at = at;
        return read_value(operation);
      case JepsenField::Index:
        operation.index = read_integer();
        return;
      case JepsenField::Nanoseconds:
        operation.time = read_integer();
        return;
      case JepsenField::Error:
        return read_text(operation.error);
      case JepsenField::Node:
        return read_text(operation.node);
      case JepsenField::Unknown:
        return cursor_.skip();
    }
  }

 private:
  // What follows the columns: a form, or the words of an exception. Jepsen puts a tab before it. For
  // operations that rarely have one, text without a tab is the rest of a damaged value.
  void read_error(JepsenOperation& operation) {
    if (cursor_.at_end()) return;
    const char* const start = cursor_.at();
    const bool rare = operation.type == EntryType::Ok || operation.type == EntryType::Invoke;
    if (rare && start[-1] != '\t') throw FormProblem{start, "expected the end of the line after the value"};
    const FormCursor::Mark mark = cursor_.mark();
    try {
      read_text(operation.error);
      if (cursor_.at_end()) return;
    } catch (const FormEnds&) {  // NOLINT(bugprone-empty-catch): then it is plain words.
    } catch (const FormProblem&) {
    }  // NOLINT(bugprone-empty-catch)
    cursor_.rewind(mark);
    operation.error.assign(start, cursor_.end() - 1);
  }

  EntryType read_type() {
    if (cursor_.peek() != FormShape::Scalar || !cursor_.at_word()) {
      cursor_.skip();
      return EntryType::Other;
    }
    const std::string_view word = cursor_.word();
    if (word == "invoke") return EntryType::Invoke;
    if (word == "ok") return EntryType::Ok;
    if (word == "fail") return EntryType::Fail;
    return word == "info" ? EntryType::Info : EntryType::Other;
  }

  std::optional<std::int64_t> read_integer() {
    if (cursor_.peek() != FormShape::Scalar) {
      cursor_.skip();
      return std::nullopt;
    }
    const Value value = cursor_.scalar(pool_);
    return value.is_integer() ? std::optional(value.as_integer()) : std::nullopt;
  }

  void read_value(JepsenOperation& operation) {
    const FormShape shape = cursor_.peek();
    const FormCursor::Mark start = cursor_.mark();
    operation.parts.clear();
    operation.micro_operations.clear();
    if (shape == FormShape::Scalar) {
      operation.form = JepsenValueForm::Scalar;
      operation.parts.push_back(cursor_.scalar(pool_));
    } else if (shape == FormShape::Map) {
      operation.form = JepsenValueForm::Map;
      if (read_map(operation, operation.parts)) return;
      cursor_.rewind(start);
      cursor_.skip();
    } else if (shape != FormShape::Sequence) {
      misfit(operation, "a set");
      cursor_.skip();
    } else if (!read_sequence(operation)) {
      cursor_.rewind(start);
      cursor_.skip();
    }
  }

  bool read_sequence(JepsenOperation& operation) {
    operation.form = JepsenValueForm::MicroOperations;
    cursor_.open();
    while (cursor_.more()) {
      const FormShape shape = cursor_.peek();
      if (shape == FormShape::Scalar && operation.micro_operations.empty()) return read_parts(operation);
      if (shape != FormShape::Sequence)
        return misfit(operation, "not a micro-operation such as [:r key value]");
      if (!read_micro_operation(operation)) return false;
    }
    return true;
  }

  // At the first element, a scalar, of [a b] or [k [a b]].
  bool read_parts(JepsenOperation& operation) {
    operation.form = JepsenValueForm::Parts;
    operation.parts.push_back(cursor_.scalar(pool_));
    while (cursor_.more()) {
      const FormShape shape = cursor_.peek();
      if (operation.form == JepsenValueForm::KeyedParts)
        return misfit(operation, "not a pair of key and value");
      if (shape == FormShape::Scalar) {
        operation.parts.push_back(cursor_.scalar(pool_));
        continue;
      }
      if (shape != FormShape::Sequence || operation.parts.size() != 1)
        return misfit(operation, "not a pair of key and value");
      operation.form = JepsenValueForm::KeyedParts;
      cursor_.open();
      while (cursor_.more()) {
        if (cursor_.peek() != FormShape::Scalar) return misfit(operation, "nested too deeply for a register");
        operation.parts.push_back(cursor_.scalar(pool_));
      }
    }
    return true;
  }

  bool read_micro_operation(JepsenOperation& operation) {
    const char* const start = cursor_.at();
    cursor_.open();
    if (!cursor_.more() || cursor_.peek() != FormShape::Scalar || !cursor_.at_word())
      return misfit(operation, "not a micro-operation such as [:r key value]");
    const char* const name_at = cursor_.at();
    const std::string_view name = cursor_.word();
    JepsenMicroOperation& micro = operation.micro_operations.emplace_back();
    if (name == "r" || name == "read") {
      micro.kind = OperationKind::Read;
    } else if (name == "w" || name == "write") {
      micro.kind = OperationKind::Write;
    } else if (name == "append") {
      micro.kind = OperationKind::Append;
    } else if (name == "insert") {
      micro.kind = OperationKind::Insert;
    } else if (name == "delete") {
      micro.kind = OperationKind::Delete;
    } else if (name == "rp") {
      return read_predicate(operation);
    } else {
      const std::string spelled = Cursor::name_spelled(name);
      return misfit(operation,
                    "the micro-operation " + spelled +
                        ", which is not one of r, w, append, insert, delete, rp, read, write",
                    name_at);
    }
    if (!cursor_.more() || cursor_.peek() != FormShape::Scalar)
      return misfit(operation, "a micro-operation without a simple key");
    micro.key = cursor_.scalar(pool_);
    if (!cursor_.more()) {
      if (micro.kind == OperationKind::Read || micro.kind == OperationKind::Delete) return true;
      return misfit(operation, "a micro-operation that writes, without a value", start);
    }
    if (!read_micro_value(micro.value, operation)) return false;
    if (micro.value.is_list() && micro.kind == OperationKind::Read) micro.kind = OperationKind::ReadList;
    if (micro.kind == OperationKind::Delete && !micro.value.is_nil())
      return misfit(operation, "a delete with a value");
    return !cursor_.more() || misfit(operation, "a micro-operation with more than a key and a value");
  }

  bool read_micro_value(Value& value, JepsenOperation& operation) {
    const FormShape shape = cursor_.peek();
    if (shape == FormShape::Scalar) {
      value = cursor_.scalar(pool_);
      return true;
    }
    if (shape != FormShape::Sequence) return misfit(operation, shape == FormShape::Map ? "a map" : "a set");
    elements_.clear();
    cursor_.open();
    while (cursor_.more()) {
      if (cursor_.peek() != FormShape::Scalar)
        return misfit(operation, "a list that holds more than plain values");
      elements_.push_back(cursor_.scalar(pool_));
    }
    value = pool_.list(elements_);
    return true;
  }

  // Elle's closed-predicate workload: [:rp :true {x 1}], [:rp [:= 3] nil], [:rp [:mod 2 0] {}].
  bool read_predicate(JepsenOperation& operation) {
    JepsenMicroOperation& micro = operation.micro_operations.back();
    micro.kind = OperationKind::PredicateRead;
    micro.predicate = static_cast<std::uint32_t>(operation.predicates.size());
    JepsenPredicate& asked = operation.predicates.emplace_back();
    if (!cursor_.more()) return misfit(operation, "a predicate read without a predicate");
    if (!read_condition(asked.tree, operation)) return false;
    if (!cursor_.more()) return true;
    if (cursor_.peek() == FormShape::Scalar) {
      if (!cursor_.scalar(pool_).is_nil())
        return misfit(operation, "a predicate read of something else than a map");
    } else {
      elements_.clear();
      if (cursor_.peek() != FormShape::Map || !read_map(operation, elements_))
        return misfit(operation, "a predicate read of something else than a map of plain values");
      asked.answered = true;
      for (std::size_t i = 0; i + 1 < elements_.size(); i += 2)
        asked.rows.emplace_back(elements_[i], elements_[i + 1]);
    }
    return !cursor_.more() || misfit(operation, "a predicate read with more than a predicate and its rows");
  }

  bool read_condition(Predicate& tree, JepsenOperation& operation) {
    using Node = Predicate::Node;
    constexpr const char* kKnown = "a predicate that is not one of :true, [:= n] and [:mod n m]";
    const auto literal = [](Value value) { return Predicate{Node::Literal, {}, value, {}}; };
    const Predicate column{Node::Column, "value", {}, {}};
    if (cursor_.peek() == FormShape::Scalar) {
      if (!cursor_.at_word() || cursor_.word() != "true") return misfit(operation, kKnown);
      tree.node = Node::True;
      return true;
    }
    if (cursor_.peek() != FormShape::Sequence) return misfit(operation, kKnown);
    cursor_.open();
    if (!cursor_.more() || cursor_.peek() != FormShape::Scalar || !cursor_.at_word())
      return misfit(operation, kKnown);
    const std::string name(cursor_.word());
    std::vector<Value> numbers;
    while (cursor_.more()) {
      if (cursor_.peek() != FormShape::Scalar) return misfit(operation, kKnown);
      numbers.push_back(cursor_.scalar(pool_));
    }
    Predicate left = column;
    if (name == "mod" && numbers.size() == 2)
      left = {Node::Arithmetic, "%", {}, {column, literal(numbers[0])}};
    else if (name != "=" || numbers.size() != 1)
      return misfit(operation, kKnown);
    tree = {Node::Compare, "=", {}, {std::move(left), literal(numbers.back())}};
    return true;
  }

  // Keys and plain values, in turns.
  bool read_map(JepsenOperation& operation, std::vector<Value>& pairs) {
    const char* const start = cursor_.at();
    cursor_.open();
    while (cursor_.more()) {
      if (cursor_.peek() != FormShape::Scalar) return misfit(operation, "a map");
      pairs.push_back(read_map_key());
      if (cursor_.peek() != FormShape::Scalar) return misfit(operation, "a map");
      pairs.push_back(cursor_.scalar(pool_));
    }
    if (has_key_twice(pairs, [](Value key) { return std::optional(key); }))
      throw FormProblem{start, "a key comes twice in this map"};
    return true;
  }

  // Names of JSON members are text, even if the key is a number.
  Value read_map_key() {
    if constexpr (Cursor::kNamesAreText) {
      const std::string_view name = cursor_.field();
      const bool negative = name.starts_with('-');
      const std::string_view digits = name.substr(negative ? 1 : 0);
      const bool whole = !digits.empty() && digits.size() < 18 &&
                         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
      return whole ? pool_.number(name) : pool_.text(name);
    } else {
      return cursor_.scalar(pool_);
    }
  }

  // `at`: where the problem is, if not at the cursor.
  bool misfit(JepsenOperation& operation, std::string problem, const char* at = nullptr) {
    operation.form = JepsenValueForm::Other;
    operation.value_at = at != nullptr ? at : cursor_.at();
    operation.value_problem = std::move(problem);
    return false;
  }
  // Words by their text, nil as nothing, everything else as in the file.
  void read_text(std::string& text) {
    if (cursor_.peek() == FormShape::Scalar && cursor_.at_word()) {
      text = cursor_.word();
      return;
    }
    const char* const start = cursor_.at();
    cursor_.skip();
    text.assign(start, cursor_.at());
    if (text == "nil" || text == "null") text.clear();
  }

  Cursor& cursor_;
  ValuePool& pool_;
  std::vector<Value> elements_;
};

}  // namespace serval
