#pragma once
// Finds the history in a folder, and writes histories that are folders.

#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool is_folder(const std::string& path);

// See read_history. Throws InputError if the folder contains no history.
History read_history_folder(const std::string& folder, const ReadOptions& options);

// Writes the files to a temporary folder that is then renamed to `folder`, so that a failed write leaves
// nothing behind. Throws OutputError if `folder` exists and is not empty.
void write_history_folder(const History& history, const FolderVerbs& verbs, const std::string& folder,
                          const Notice& lossy, Budget& budget);

// `path`; or, if it is a folder or ends with a slash, the file `name` in it. Creates the folder.
std::string file_to_write(const std::string& path, std::string_view name);

}  // namespace serval
