#include "auxiliary_file.h"

#include <fmt/format.h>

#include "serval/base/byte_stream.h"
#include "serval/base/error.h"

namespace serval::cli {

void for_each_line(const std::string& path, Budget& budget,
                   const std::function<void(std::string_view line, std::uint64_t number)>& take) {
  ByteStream stream = ByteStream::open(path, &budget);
  std::string line;
  std::uint64_t number = 1;
  for (std::string_view chunk = stream.next(); !chunk.empty(); chunk = stream.next()) {
    budget.look("read");
    while (!chunk.empty()) {
      const std::size_t end = chunk.find('\n');
      line += chunk.substr(0, end);
      if (line.size() > kLongestLine)
        throw InputError({path, number, 1}, fmt::format("a line of more than {} bytes", kLongestLine));
      if (end == std::string_view::npos) break;
      take(line, number++);
      line.clear();
      chunk.remove_prefix(end + 1);
    }
  }
  if (!line.empty()) take(line, number);
}

std::string read_document(const std::string& path) {
  ByteStream stream = ByteStream::open(path);
  std::string text;
  for (std::string_view chunk = stream.next(); !chunk.empty(); chunk = stream.next()) {
    text += chunk;
    if (text.size() > kLargestDocument)
      throw InputError({path}, fmt::format("more than {} MiB", kLargestDocument >> 20));
  }
  return text;
}

}  // namespace serval::cli
