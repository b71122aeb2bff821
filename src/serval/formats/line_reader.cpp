#include "serval/formats/line_reader.h"

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

}  // namespace serval
