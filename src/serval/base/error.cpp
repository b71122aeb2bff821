#include "serval/base/error.h"

#include <utility>

namespace serval {
namespace {

std::string one_line(const SourcePosition& position, const std::string& problem) {
  std::string text = position.file;
  if (position.line != 0) text += ":" + std::to_string(position.line);
  if (position.line != 0 && position.column != 0) text += ":" + std::to_string(position.column);
  return text + ": " + problem;
}

}  // namespace

InputError::InputError(SourcePosition position, const std::string& problem, std::string source_line,
                       std::string hint, std::uint64_t caret)
    : std::runtime_error(one_line(position, problem)),
      position_(std::move(position)),
      problem_(problem),
      source_line_(std::move(source_line)),
      hint_(std::move(hint)),
      caret_(caret != 0 ? caret : position_.column) {}

}  // namespace serval
