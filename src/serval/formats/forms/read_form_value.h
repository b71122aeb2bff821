#pragma once
// Reads a form of EDN or JSON as a tree (history/form_value.h).
//
// Words are text as in EdnCursor: :x, x and "x" are the same Value. O(form). Throws FormProblem for a
// form nested deeper than kMaxFormDepth, and for a map with a duplicate plain key.

#include <cstddef>
#include <optional>

#include <absl/container/flat_hash_set.h>

#include "serval/formats/forms/form_cursor.h"
#include "serval/history/form_value.h"
#include "serval/history/value.h"

namespace serval {

template <class Cursor>
FormValue read_form_value(Cursor& cursor, ValuePool& pool, int depth = 0);

// The key of an EDN map is a form, but the name of a JSON member is not.
template <class Cursor>
FormValue read_form_key(Cursor& cursor, ValuePool& pool, int depth) {
  if constexpr (!Cursor::kNamesAreText) {
    return read_form_value(cursor, pool, depth);
  } else {
    FormValue key;
    key.scalar = pool.text(cursor.field());
    return key;
  }
}

// Whether a plain key occurs twice among alternating keys and values, given by `key_of`.
template <class Parts, class KeyOf>
bool has_key_twice(const Parts& parts, const KeyOf& key_of) {
  absl::flat_hash_set<Value> keys;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
    if (const std::optional<Value> key = key_of(parts[i]); key && !keys.insert(*key).second) return true;
  return false;
}

template <class Cursor>
FormValue read_form_value(Cursor& cursor, ValuePool& pool, int depth) {
  FormValue form;
  form.shape = cursor.peek();
  if (form.shape == FormShape::Scalar) {
    form.scalar = cursor.scalar(pool);
    return form;
  }
  if (depth >= kMaxFormDepth) throw FormProblem{cursor.at(), "this is nested too deeply"};
  const char* const start = cursor.at();
  cursor.open();
  while (cursor.more()) {
    if (form.shape == FormShape::Map) form.parts.push_back(read_form_key(cursor, pool, depth + 1));
    form.parts.push_back(read_form_value(cursor, pool, depth + 1));
  }
  const auto plain_key = [](const FormValue& key) {
    return key.is_scalar() ? std::optional(key.scalar) : std::nullopt;
  };
  if (form.shape == FormShape::Map && has_key_twice(form.parts, plain_key))
    throw FormProblem{start, "a key comes twice in this map"};
  return form;
}

}  // namespace serval
