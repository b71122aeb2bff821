#pragma once
// Short queries on the values of a Jepsen file.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serval/history/form_value.h"

namespace serval {

inline bool is_list(const FormValue& form) { return form.shape == FormShape::Sequence; }
inline bool is_set(const FormValue& form) { return form.shape == FormShape::Set; }
inline bool is_map(const FormValue& form) { return form.shape == FormShape::Map; }
inline std::optional<std::int64_t> integer_in(const FormValue& form) {
  return form.is_integer() ? std::optional(form.scalar.as_integer()) : std::nullopt;
}

struct FormEntry {
  const FormValue &key, &value;
};
// The entries of a map, in file order.
class FormEntries {
 public:
  explicit FormEntries(const FormValue& map) : parts_(map.parts) {}
  struct Iterator {
    const FormValue* at;
    FormEntry operator*() const { return {at[0], at[1]}; }
    Iterator& operator++() {
      at += 2;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;
  };
  Iterator begin() const { return {parts_.data()}; }
  Iterator end() const { return {parts_.data() + parts_.size() / 2 * 2}; }

 private:
  std::span<const FormValue> parts_;
};
inline FormEntries entries(const FormValue& map) { return FormEntries(map); }

}  // namespace serval
