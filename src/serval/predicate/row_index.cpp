#include "serval/predicate/row_index.h"

namespace serval {

void RowIndex::change(const Scalar& value, KeyId key, Change change) {
  const auto count = [&](std::size_t family) { counts_[family] += change == Change::Add ? 1u : 0xFFFFFFFFu; };
  const auto put = [&](auto& set, auto entry) {
    if (change == Change::Add)
      set.insert(std::move(entry));
    else
      set.erase(entry);
  };
  if (value.is_undefined()) return count(kUndefined);
  if (value.kind() == Scalar::Kind::Integer) {
    count(static_cast<std::size_t>(Cut::Family::Number));
    return put(whole_, std::pair(value.as_integer(), key.index));
  }
  Cut cut = cut_before(value);
  count(static_cast<std::size_t>(cut.family));
  put(others_, std::pair(std::move(cut), key.index));
}

// Families are consecutive; a cut before the numbers has all of them after it.
RowIndex::Bound RowIndex::first_from(const Cut& cut) {
  constexpr Bound kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr Bound kBeyond = Bound{std::numeric_limits<std::int64_t>::max()} + 1;
  if (cut.family < Cut::Family::Number) return kLeast;
  if (cut.family > Cut::Family::Number) return kBeyond;
  if (cut.place == Cut::Place::Start) return kLeast;
  const bool after = cut.place == Cut::Place::AfterValue;
  if (cut.value.kind() == Scalar::Kind::Integer) return Bound{cut.value.as_integer()} + (after ? 1 : 0);
  const Decimal number = cut.value.as_decimal();
  const Bound whole = number.floor();
  const bool exact = number == Decimal{whole, 0};
  return exact && !after ? whole : whole + 1;
}

}  // namespace serval
