#pragma once
// Folders, without the exceptions of std::filesystem: a failure of the operating system becomes an
// InputError, and a dangling link does not end the listing.
//
//   for (const std::filesystem::path& file : files_in("logs")) ...

#include <filesystem>
#include <optional>
#include <vector>

namespace serval {

// The entries of a folder that are or may be files, sorted by name. Entries that cannot be inspected (no
// permission, a link to itself) are included, so that an attempt to open them reports why. Throws
// InputError if the folder cannot be read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// The folder for temporary files; nothing if TMPDIR names one that does not exist.
std::optional<std::filesystem::path> temporary_folder();

}  // namespace serval
