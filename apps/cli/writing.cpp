#include "writing.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "choices.h"
#include "serval/base/byte_sink.h"
#include "serval/base/error.h"

namespace serval::cli {

Format output_format(std::string_view flag, std::string_view name, const std::string& path) {
  if (const std::optional<Format> format = choose_format(flag, name)) return *format;
  if (path == "-") return Format::Jsonl;
  if (const std::optional<Format> format = format_for_path(path)) return *format;
  throw UsageError(fmt::format("the name {} does not imply a format to write", path),
                   fmt::format("add {} NAME (serval formats lists them)", flag));
}

void require_writable(const std::string& path, Overwrite overwrite) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (path == "-" || !std::filesystem::is_regular_file(status) || overwrite == Overwrite::Allow) return;
  throw UsageError(fmt::format("{} already exists", path), "add --force to overwrite it");
}

void require_recordable(const std::string& path, Overwrite overwrite) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw UsageError(fmt::format("{} is not a regular file", path),
                     "choose a file name; a recording is read while it is written");
  if (path.ends_with(".gz") || path.ends_with(".zst"))
    throw UsageError(fmt::format("{}: a recording is not compressed while it is written", path),
                     "record to a .jsonl file and compress it with serval convert");
  require_writable(path, overwrite);
}

void write_file(const std::string& path, std::string_view content) {
  ByteSink sink = ByteSink::create(path);
  sink.write(content);
  sink.finish();
}

}  // namespace serval::cli
