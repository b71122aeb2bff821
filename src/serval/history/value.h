#pragma once
// A value that a client wrote or read, in eight bytes. Integers of up to 61 bits are stored inline;
// everything else (longer integers, decimals, text, booleans, rows, lists) is interned in a ValuePool,
// so that
//
//   V1  two values of one pool are equal exactly when their bits are equal.
//
//   ValuePool pool;
//   pool.text("abc") == pool.text("abc")
//   pool.list({Value::integer(1), Value::integer(2)})
//
// Nil means "no row, no value": the state of a key before its first write. Unknown means that the
// response never arrived (a read in a transaction whose outcome is indeterminate); checkers ignore such
// reads.

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace serval {

class Value {
 public:
  enum class Kind : std::uint8_t { Integer, Nil, Unknown, Number, Text, Boolean, Row, List };

  static constexpr std::int64_t kMaxInline = (std::int64_t{1} << 60) - 1;
  static constexpr std::int64_t kMinInline = -(std::int64_t{1} << 60);

  constexpr Value() noexcept : bits_(static_cast<std::uint64_t>(Kind::Nil)) {}
  static constexpr Value nil() noexcept { return Value{}; }
  static constexpr Value unknown() noexcept { return pooled(Kind::Unknown, 0); }
  static constexpr Value boolean(bool truth) noexcept { return pooled(Kind::Boolean, truth ? 1 : 0); }
  // Requires kMinInline <= number <= kMaxInline; ValuePool::integer accepts any.
  static constexpr Value integer(std::int64_t number) noexcept {
    return Value(static_cast<std::uint64_t>(number) << 3 | static_cast<std::uint64_t>(Kind::Integer));
  }

  constexpr Kind kind() const noexcept { return static_cast<Kind>(bits_ & 7); }
  constexpr bool is_nil() const noexcept { return kind() == Kind::Nil; }
  constexpr bool is_unknown() const noexcept { return kind() == Kind::Unknown; }
  constexpr bool is_integer() const noexcept { return kind() == Kind::Integer; }
  constexpr bool is_list() const noexcept { return kind() == Kind::List; }
  // Requires is_integer().
  constexpr std::int64_t as_integer() const noexcept { return static_cast<std::int64_t>(bits_) >> 3; }
  constexpr bool as_boolean() const noexcept { return (bits_ >> 3) != 0; }

  constexpr std::uint64_t bits() const noexcept { return bits_; }
  static constexpr Value from_bits(std::uint64_t bits) noexcept { return Value(bits); }
  // Index into the pool; requires a pooled kind (Number, Text, Row, List).
  constexpr std::uint64_t pool_index() const noexcept { return bits_ >> 3; }
  static constexpr Value pooled(Kind kind, std::uint64_t index) noexcept {
    return Value(index << 3 | static_cast<std::uint64_t>(kind));
  }

  friend constexpr auto operator<=>(Value, Value) = default;
  template <class Hash>
  friend Hash AbslHashValue(Hash state, Value value) {
    return Hash::combine(std::move(state), value.bits_);
  }

 private:
  explicit constexpr Value(std::uint64_t bits) noexcept : bits_(bits) {}
  std::uint64_t bits_;
};

// Owns what does not fit into a Value. Append-only; a Value is valid as long as its pool. Movable; not
// shared between threads while it grows.
class ValuePool {
 public:
  ValuePool();
  ValuePool(ValuePool&&) noexcept;
  ValuePool& operator=(ValuePool&&) noexcept;
  ~ValuePool();

  Value integer(std::int64_t number);
  // A number in decimal notation: "12" is the integer 12. Numbers beyond 61 bits, or with a fraction or
  // an exponent, are kept as written (leading zeros and "+" are removed from integers).
  Value number(std::string_view decimal);
  Value text(std::string_view text);
  // An entire row in canonical form (JSON with sorted column names, no spaces).
  Value row(std::string_view canonical_json);
  Value list(std::span<const Value> elements);
  Value list(std::initializer_list<Value> elements) {
    return list(std::span<const Value>(elements.begin(), elements.size()));
  }

  // The same value of another pool.
  Value adopt(const ValuePool& from, Value value);

  // The characters of a Number, Text or Row; the elements of a List.
  std::string_view characters(Value value) const;
  std::span<const Value> elements(Value list) const;

  // A short form for people: 7, "abc", _ (nil), ? (unknown), [1 2 3], {"a":1}. Text that looks like a
  // plain word is not quoted. The history notation uses the same form.
  std::string format(Value value) const;

  // Number of interned texts and lists, for size reports and for formats that store the pool.
  std::size_t spelling_count() const noexcept;
  std::size_t list_count() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace serval
