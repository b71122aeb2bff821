#include "serval/stream/record_batch.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "serval/base/decimal_number.h"
#include "serval/formats/native/jsonl_value.h"

namespace serval {
namespace {

constexpr std::size_t kFirstChunk = std::size_t{1} << 9;
constexpr std::size_t kLargestChunk = std::size_t{1} << 18;
constexpr std::size_t kAlignment = alignof(std::max_align_t);

}  // namespace

char* RecordBatch::room(std::size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  while (chunk_ < chunks_.size() && used_ + bytes > chunks_[chunk_].size) {
    filled_ += used_;
    used_ = 0;
    ++chunk_;
  }
  if (chunk_ == chunks_.size()) {
    const std::size_t last = chunks_.empty() ? kFirstChunk / 2 : chunks_.back().size;
    const std::size_t size = std::max(bytes, std::min(last * 2, kLargestChunk));
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
  }
  used_ += bytes;
  return chunks_[chunk_].data.get() + (used_ - bytes);
}

std::string_view RecordBatch::keep(std::string_view text) {
  if (text.empty()) return {};
  char* const copy = room(text.size());
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

std::span<RecordRow> RecordBatch::keep(std::span<const RecordRow> rows) {
  if (rows.empty()) return {};
  auto* const copy = reinterpret_cast<RecordRow*>(room(rows.size_bytes()));
  std::uninitialized_copy(rows.begin(), rows.end(), copy);
  return {copy, rows.size()};
}

TraceValue RecordBatch::value(Value value, const ValuePool& pool) {
  switch (value.kind()) {
    case Value::Kind::Integer:
      return TraceValue::of(value.as_integer());
    case Value::Kind::Nil:
      return {};
    case Value::Kind::Unknown:
      return TraceValue::unknown();
    case Value::Kind::Boolean:
      return TraceValue::of(value.as_boolean());
    case Value::Kind::Number: {
      const std::string_view spelling = pool.characters(value);
      if (const auto number = parse_integer<std::int64_t>(spelling)) return TraceValue::of(*number);
      return TraceValue::of(TraceValue::Kind::Number, keep(spelling));
    }
    case Value::Kind::Text:
      return text(pool.characters(value));
    case Value::Kind::Row:
      return TraceValue::of(TraceValue::Kind::Row, keep(pool.characters(value)));
    case Value::Kind::List:
      break;
  }
  std::string spelling;
  append_json_value(spelling, pool, value);
  return TraceValue::of(TraceValue::Kind::List, keep(spelling));
}

void RecordBatch::set_rows(Record& record, std::span<const RecordRow> rows) {
  record.rows = keep(rows).data();
  record.row_count = static_cast<std::uint32_t>(rows.size());
}

ValuePool& RecordBatch::literals() {
  if (!literals_) literals_ = std::make_unique<ValuePool>();
  return *literals_;
}

const TracePredicate* RecordBatch::predicate(Predicate tree) {
  return &predicates_.emplace_back(TracePredicate{std::move(tree), &literals()});
}

void RecordBatch::clear() noexcept {
  records_.clear();
  predicates_.clear();
  literals_.reset();
  chunk_ = used_ = filled_ = 0;
}

std::size_t RecordBatch::bytes() const noexcept {
  return records_.size() * sizeof(Record) + filled_ + used_ + predicates_.size() * sizeof(TracePredicate);
}

}  // namespace serval
