#include "serval/online/stored_value.h"

#include <cstring>

#include <fmt/format.h>
#include <xxhash.h>

namespace serval::online {
namespace {

constexpr std::uint64_t kWithoutTag = ~std::uint64_t{0} >> 8;

// Number, Text, Row and List, from 0.
std::uint8_t text_kind(TraceValue::Kind kind) {
  using enum TraceValue::Kind;
  return kind == Number ? 0 : kind == Row ? 2 : kind == List ? 3 : 1;
}

}  // namespace

StoredValue StoredValue::of(const TraceValue& value) {
  if (value.is_nil()) return nil();
  if (value.is_unknown()) return anything();
  if (!value.has_text()) {
    StoredValue out = tagged(static_cast<std::uint8_t>(value.kind));
    out.words_[0] = static_cast<std::uint64_t>(value.integer);
    return out;
  }
  const std::uint8_t kind = text_kind(value.kind);
  if (value.size <= kLongestInline) {
    StoredValue out;
    if (value.size > 0) std::memcpy(out.words_.data(), value.characters, value.size);
    out.words_[1] |= std::uint64_t{static_cast<std::uint8_t>(kInline + kind * 16 + value.size)} << 56;
    return out;
  }
  const XXH128_hash_t hash = XXH3_128bits(value.characters, value.size);
  StoredValue out = tagged(kHashed | kind);
  out.words_[0] = hash.low64;
  out.words_[1] |= hash.high64 & kWithoutTag;
  return out;
}

std::string StoredValue::format() const {
  if (is_nil()) return "_";
  if (tag() == kPresent) return "a row";
  if (tag() == kAnything) return "?";
  if (tag() == static_cast<std::uint8_t>(TraceValue::Kind::Boolean)) return words_[0] != 0 ? "true" : "false";
  if (tag() < kInline) return fmt::format("{}", static_cast<std::int64_t>(words_[0]));
  if (tag() >= kHashed) return fmt::format("text#{:08x}", words_[0] >> 32);
  const std::size_t size = tag() % 16;
  std::string text(size, '\0');
  std::memcpy(text.data(), words_.data(), size);
  return text;
}

}  // namespace serval::online
