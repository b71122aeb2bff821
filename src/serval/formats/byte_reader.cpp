#include "serval/formats/byte_reader.h"

#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval {

// ahead_ may point into joined_, so the rest is copied before joined_ changes.
bool ByteReader::fill(std::size_t size) {
  std::string rest(ahead_);
  while (rest.size() < size) {
    if (options_.budget != nullptr) options_.budget->poll("reading");
    const std::string_view chunk = stream_.next();
    if (options_.on_progress) options_.on_progress(stream_.read_from_disk(), stream_.size_on_disk());
    if (rest.empty() && chunk.size() >= size) {
      ahead_ = chunk;
      return true;
    }
    if (chunk.empty()) break;
    rest += chunk;
  }
  joined_ = std::move(rest);
  ahead_ = joined_;
  return ahead_.size() >= size;
}

const char* ByteReader::take(std::size_t size, std::string_view what) {
  if (!has(size))
    fail(position_ + ahead_.size(), fmt::format("the file ends inside {}", what),
         "cut off by a crash? --truncated=ok keeps the whole transactions before this point");
  const char* const bytes = ahead_.data();
  ahead_.remove_prefix(size);
  position_ += size;
  return bytes;
}

void ByteReader::fail(std::uint64_t offset, const std::string& problem, std::string hint) const {
  throw InputError({stream_.name()}, fmt::format("at byte {}: {}", offset, problem), {}, std::move(hint));
}

}  // namespace serval
