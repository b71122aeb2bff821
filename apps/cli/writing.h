#pragma once
// Writes a history or a report for a command: chooses the format and protects existing files.

#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval::cli {

// By the flag, then by the file's name; native JSONL for standard output. Throws UsageError if the name
// does not imply a format.
Format output_format(std::string_view flag, std::string_view name, const std::string& path);

enum class Overwrite { Refuse, Allow };
void require_writable(const std::string& path, Overwrite overwrite);  // Throws UsageError.

// The same for a recording, which is read while it is written: also rejects devices, pipes,
// folders, and names of compressed files.
void require_recordable(const std::string& path, Overwrite overwrite);

void write_file(const std::string& path, std::string_view content);  // Throws OutputError.

}  // namespace serval::cli
