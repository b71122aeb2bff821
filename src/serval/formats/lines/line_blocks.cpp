#include "serval/formats/lines/line_blocks.h"

#include <utility>

#include "serval/formats/characters.h"

namespace serval {

LineBlocks::LineBlocks(ByteStream& stream, const ReadOptions& options) : stream_(stream), options_(options) {
  const bool marked = stream_.peek(kByteOrderMark.size()) == kByteOrderMark;
  if (refill() && marked) pending_.remove_prefix(kByteOrderMark.size());
}

bool LineBlocks::refill() {
  pending_ = stream_.next();
  if (options_.budget != nullptr) options_.budget->look("read");
  if (options_.on_progress) options_.on_progress(stream_.read_from_disk(), stream_.size_on_disk());
  return !pending_.empty();
}

std::string_view LineBlocks::hand_out_carry() {
  carry_handed_out_ = true;
  return carry_;
}

std::string_view LineBlocks::next() {
  if (std::exchange(carry_handed_out_, false)) carry_.clear();
  while (!pending_.empty() || refill()) {
    const std::size_t newline = carry_.empty() ? pending_.rfind('\n') : pending_.find('\n');
    const std::string_view whole = pending_.substr(0, newline == std::string_view::npos ? 0 : newline + 1);
    if (carry_.empty() && !whole.empty()) {
      pending_.remove_prefix(whole.size());
      return whole;
    }
    const std::string_view piece = whole.empty() ? pending_ : whole;
    carry_ += piece;
    pending_.remove_prefix(piece.size());
    if (!whole.empty()) return hand_out_carry();
  }
  if (carry_.empty()) return {};
  last_line_was_cut_ = true;
  carry_ += '\n';
  return hand_out_carry();
}

}  // namespace serval
