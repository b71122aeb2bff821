#pragma once
// One operation map of a Jepsen history, as the EDN and JSON readers pass it to the assembler: syntax,
// not yet meaning. The record and its vectors are reused for every operation of a file.
//
//   {:index 3, :time 17, :type :ok, :process 0, :f :txn, :value [[:append :x 1] [:r :y [2]]]}

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/formats/forms/form_cursor.h"
#include "serval/history/client_log.h"
#include "serval/history/operation.h"
#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

enum class JepsenField : std::uint8_t {
  Type,
  Process,
  F,
  Argument,
  Index,
  Nanoseconds,
  Error,
  Node,
  Unknown
};

// By length first, so that each name costs one or two comparisons.
inline JepsenField jepsen_field_named(std::string_view name) {
  switch (name.size()) {
    case 1:
      return name[0] == 'f' ? JepsenField::F : JepsenField::Unknown;
    case 4:
      if (name == "type") return JepsenField::Type;
      if (name == "time") return JepsenField::Nanoseconds;
      return name == "node" ? JepsenField::Node : JepsenField::Unknown;
    case 5:
      if (name == "value") return JepsenField::Argument;
      if (name == "index") return JepsenField::Index;
      return name == "error" ? JepsenField::Error : JepsenField::Unknown;
    case 7:
      return name == "process" ? JepsenField::Process : JepsenField::Unknown;
    default:
      return JepsenField::Unknown;
  }
}

// The shape of :value. [] is MicroOperations without any.
enum class JepsenValueForm : std::uint8_t {
  Absent,
  Scalar,           // 5, nil: `parts` is {5}.
  Parts,            // [1 2], [k v]: `parts` is the elements.
  KeyedParts,       // [k [1 2]]: `parts` is {k, 1, 2}.
  MicroOperations,  // [[:r x 1] [:w y 2]]
  Map,              // {x 1, y 2}: `parts` is {x, 1, y, 2}.
  Other,            // None of these; `value_problem` says why.
};

struct JepsenMicroOperation {
  static constexpr std::uint32_t kNoPredicate = 0xFFFFFFFFu;

  // Read, ReadList, Write, Append, CompareAndSet, Insert, Delete or PredicateRead.
  OperationKind kind = OperationKind::Read;
  std::uint32_t predicate = kNoPredicate;  // Into JepsenOperation::predicates; PredicateRead only.
  Value key;
  Value value;
  Value expected;
};

// The predicate of [:rp [:= 3] {x 3}], and the rows returned; nil: no result.
struct JepsenPredicate {
  Predicate tree;
  std::vector<std::pair<Value, Value>> rows;
  bool answered = false;
};

// The pointers point into the text of the map, for errors.
struct JepsenOperation {
  const char* at = nullptr;
  const char* type_at = nullptr;
  const char* process_at = nullptr;
  const char* f_at = nullptr;
  const char* value_at = nullptr;

  EntryType type = EntryType::Absent;
  Value process;                      // Nil when absent.
  std::string f;                      // Empty when absent.
  std::optional<std::int64_t> index;  // Absent also when it is not an integer, as is time.
  std::optional<std::int64_t> time;
  JepsenValueForm form = JepsenValueForm::Absent;
  std::vector<Value> parts;
  std::vector<JepsenMicroOperation> micro_operations;
  std::vector<JepsenPredicate> predicates;
  std::string value_problem;
  std::string error;
  std::string node;

  void clear();
};

// Throws FormProblem unless the type is one of those of clients.
inline void require_type(const JepsenOperation& operation) {
  if (operation.type == EntryType::Absent)
    throw FormProblem{operation.at, "this operation has no :type (one of :invoke, :ok, :fail, :info)"};
  if (operation.type == EntryType::Other)
    throw FormProblem{operation.type_at, "expected one of :invoke, :ok, :fail, :info"};
}

inline void JepsenOperation::clear() {
  at = type_at = process_at = f_at = value_at = nullptr;
  type = EntryType::Absent;
  process = Value::nil();
  f.clear();
  index.reset();
  time.reset();
  form = JepsenValueForm::Absent;
  parts.clear();
  micro_operations.clear();
  predicates.clear();
  value_problem.clear();
  error.clear();
  node.clear();
}

}  // namespace serval
