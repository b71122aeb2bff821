#pragma once
// A value that outlives its batch, in 16 bytes: integers, booleans and texts of up to 15 bytes exactly,
// longer texts by 120 bits of their hash. So an endless run needs no pool of values. The probability of
// confusing two values is about 10^-30.
//
//   StoredValue::of(row.value) == version.value
//   StoredValue::present().may_be(StoredValue::of(row.value))     // A row with only some columns known.

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "serval/stream/record.h"

namespace serval::online {

class StoredValue {
 public:
  StoredValue() = default;  // Nil.
  static StoredValue nil() { return {}; }
  // A row with unknown content.
  static StoredValue present() { return tagged(kPresent); }
  // Unknown: there may be a row or none.
  static StoredValue anything() { return tagged(kAnything); }
  static StoredValue of(const TraceValue& value);

  bool is_nil() const { return tag() == 0; }
  // Whether the two can be the same version: equal, or one of them unknown.
  bool may_be(const StoredValue& other) const {
    if (*this == other) return true;
    if (tag() == kAnything || other.tag() == kAnything) return true;
    return (tag() == kPresent && !other.is_nil()) || (other.tag() == kPresent && !is_nil());
  }
  bool is_known() const { return tag() != kPresent && tag() != kAnything; }
  // For reports; long texts by their hash.
  std::string format() const;

  friend bool operator==(const StoredValue&, const StoredValue&) = default;
  template <class Hash>
  friend Hash AbslHashValue(Hash state, const StoredValue& value) {
    return Hash::combine(std::move(state), value.words_[0], value.words_[1]);
  }

 private:
  // The last byte: 0 nil, below kInline the kind of a number, then texts with their length, then hashes.
  static constexpr std::uint8_t kPresent = 0x0E, kAnything = 0x0F, kInline = 0x10, kHashed = 0x80;
  static constexpr std::size_t kLongestInline = 15;

  static StoredValue tagged(std::uint8_t tag) {
    StoredValue out;
    out.words_[1] = std::uint64_t{tag} << 56;
    return out;
  }
  std::uint8_t tag() const { return static_cast<std::uint8_t>(words_[1] >> 56); }

  std::array<std::uint64_t, 2> words_{};
};

}  // namespace serval::online
