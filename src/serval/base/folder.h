#pragma once
// Folders, without the exceptions of std::filesystem: what the outside world refuses is an InputError, and a
// link that leads nowhere is no reason to stop looking.
//
//   for (const std::filesystem::path& file : files_in("logs")) ...

#include <filesystem>
#include <optional>
#include <vector>

namespace serval {

// The entries of a folder that are files or may be: one that cannot be looked at (no permission, a link to
// itself) is among them, so that whoever opens it says why. By name. Throws InputError where the folder
// cannot be read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// The folder for temporary files; none where TMPDIR names one that is not there.
std::optional<std::filesystem::path> temporary_folder();

}  // namespace serval
