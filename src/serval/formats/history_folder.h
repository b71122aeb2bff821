#pragma once
// Histories that are folders: finding the history in one, and writing one as a whole.

#include <functional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

bool is_folder(const std::string& path);

// See read_history. Throws InputError when the folder holds no history.
History read_history_folder(const std::string& folder, const ReadOptions& options);

// Writes the files under another name beside `folder`, which then takes its place, so that a failed write
// leaves nothing. Throws OutputError when `folder` is there and not empty.
void write_history_folder(const History& history, const FolderVerbs& verbs, const std::string& folder,
                          const std::function<void(const std::string&)>& lossy, Budget& budget);

// `path`, or the file called `name` in it where it is a folder or ends like one, which is then made.
std::string file_to_write(const std::string& path, std::string_view name);

}  // namespace serval
