#pragma once
// Writing a history or a report for a command: which format, and no history over an existing file.

#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval::cli {

// By the flag, then by the file's name, then native JSONL for standard output. Throws UsageError for a name
// that says nothing.
Format output_format(std::string_view flag, std::string_view name, const std::string& path);

enum class Overwrite { Refuse, Allow };
void require_writable(const std::string& path, Overwrite overwrite);  // Throws UsageError.

// The same for a recording, which is read while it is written: devices, pipes and folders are refused, too.
void require_recordable(const std::string& path, Overwrite overwrite);

void write_file(const std::string& path, std::string_view content);  // Throws OutputError.

}  // namespace serval::cli
