#include "serval/formats/lines/line_reader.h"

namespace serval {

bool LineReader::next() {
  if (rest_.empty()) rest_ = blocks_.next();
  if (rest_.empty()) return false;
  const std::size_t newline = rest_.find('\n');
  line_ = rest_.substr(0, newline);
  rest_.remove_prefix(newline + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

bool LineReader::next_whole(const ReadOptions& options) {
  if (!next()) return false;
  if (!line_was_cut() || !options.accept_truncated) return true;
  if (options.on_notice) options.on_notice("1 line cut off at the end was left out");
  return false;
}

void LineReader::notice_cut(const ReadOptions& options) const {
  if (!line_was_cut() || !options.on_notice) return;
  options.on_notice("the last line does not end in a newline: it may have been cut off");
}

}  // namespace serval
