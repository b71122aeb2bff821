#pragma once
// Values and predicate trees in the native line format, described in docs/formats/jsonl.md.
//
//   7  -1.5  18446744073709551616    numbers, digit for digit        null    nil
//   "abc"                            text                            true    boolean
//   [1,2]                            list                            {"a":1} row
//   {"?":"unknown"}  {"?number":"NaN"}  {"?row":"..."}               values that JSON cannot represent
//
// Rows are made canonical while reading (columns sorted, no spaces), so that equal rows are equal values.

#include <string>
#include <string_view>

#include "serval/base/json_string.h"
#include "serval/formats/native/json_cursor.h"
#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

Value parse_uncommon_json_value(JsonCursor& at, ValuePool& pool, int depth);

// Throws JsonFailure.
inline Value parse_json_value(JsonCursor& at, ValuePool& pool, int depth = 0) {
  std::int64_t number = 0;
  if (at.whole_number(number)) {
    const bool fits = number >= Value::kMinInline && number <= Value::kMaxInline;
    return fits ? Value::integer(number) : pool.integer(number);
  }
  return parse_uncommon_json_value(at, pool, depth);
}
Predicate parse_json_predicate(JsonCursor& at, ValuePool& pool, int depth = 0);

void append_json_value(std::string& out, const ValuePool& pool, Value value);
void append_json_predicate(std::string& out, const ValuePool& pool, const Predicate& tree);
// ["between" or, for nodes with a name, ["col","value". The rest of the node follows.
void append_json_node_start(std::string& out, Predicate::Node node, std::string_view name = {});

}  // namespace serval
